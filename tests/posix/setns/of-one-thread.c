// SPDX-License-Identifier: BSD-2-Clause
// A thread that joins another namespace, setns(2), is in it alone, with those that it makes then.
#include "../apart.h"
#include <sys/utsname.h>

static const char there[] = "upcall-test-there";
static int namespace;

static void enter(void)
{
	CHECK_OK(setns(namespace, CLONE_NEWUTS));
}

static bool is_there(void)
{
	struct utsname name;

	CHECK_OK(uname(&name));
	return !strcmp(name.nodename, there);
}

/* A child that has a namespace of its own, and ends when it is told to. */
static void make_namespace(void)
{
	int ready[2], end[2];
	char path[64], c;
	pid_t pid;

	CHECK_OK(pipe(ready));
	CHECK_OK(pipe(end));
	pid = fork_watched();
	if (pid == 0) {
		close(end[1]);
		c = unshare(CLONE_NEWUTS) || sethostname(there, strlen(there)) ? 'n' : 'y';
		(void)!write(ready[1], &c, 1);
		(void)!read(end[0], &c, 1);
		_exit(0);
	}
	CHECK_EQ(read(ready[0], &c, 1), 1);
	snprintf(path, sizeof path, "/proc/%d/ns/uts", (int)pid);
	namespace = open(path, O_RDONLY | O_CLOEXEC);
	close(end[1]);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	if (c != 'y' || namespace < 0)
		skip("may make no namespace");
}

int main(void)
{
	make_namespace();
	apart_run(enter, is_there, APART_WITH_CHILDREN);
}
