// SPDX-License-Identifier: BSD-2-Clause
// Programs that a thread starts beside others that compute may use the processors of the process, whatever function it
// starts them by (sched_setaffinity(2): a child inherits its parent's mask, and keeps it across execve).
#include "../beside.h"

#include <spawn.h>
#include <wordexp.h>

enum { TIMES = 5 };

extern char **environ;
static char path[PATH_MAX], number[12], command[PATH_MAX + 64];

static int count(void)
{
	cpu_set_t cpus;

	CHECK_OK(sched_getaffinity(0, sizeof(cpus), &cpus));
	return CPU_COUNT(&cpus);
}

static void check_child(pid_t pid)
{
	int status = -1;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void by_posix_spawn(char **argv)
{
	pid_t pid;

	CHECK_OK(posix_spawn(&pid, path, NULL, NULL, argv, environ));
	check_child(pid);
	CHECK_OK(posix_spawnp(&pid, path, NULL, NULL, argv, environ));
	check_child(pid);
}

static void by_vfork(char **argv)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve(path, argv, environ);
		_exit(1);
	}
	check_child(pid);
}

static void by_fork(char **argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		execve(path, argv, environ);
		_exit(1);
	}
	check_child(pid);
}

static void by_the_shell(void)
{
	FILE *f;

	CHECK_EQ(system(command), 0);
	f = popen(command, "r");
	CHECK(f != NULL);
	CHECK_EQ(pclose(f), 0);
}

static void by_wordexp(void)
{
	char text[sizeof(command) + 16];
	wordexp_t words;

	snprintf(text, sizeof(text), "$(%s && echo yes)", command);
	CHECK_OK(wordexp(text, &words, WRDE_SHOWERR));
	CHECK_EQ(words.we_wordc, 1);
	CHECK(!strcmp(words.we_wordv[0], "yes"));
	wordfree(&words);
}

static void *starts(void *arg)
{
	char *argv[] = { "again", number, NULL };

	for (int i = 0; i < TIMES; i++) {
		usleep(500);
		by_posix_spawn(argv);
		by_vfork(argv);
		by_fork(argv);
		by_the_shell();
		by_wordexp();
	}
	return arg;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return count() == atoi(argv[1]) ? 0 : 1;
	CHECK(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	snprintf(number, sizeof(number), "%d", count());
	snprintf(command, sizeof(command), "'%s' %s", path, number);
	beside_begin();
	join(spawn(starts, NULL));
	beside_end();
}
