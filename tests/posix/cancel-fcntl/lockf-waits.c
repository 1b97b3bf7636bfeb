// SPDX-License-Identifier: BSD-2-Clause
// lockf with F_LOCK on a section that another process has locked is a cancellation point (POSIX, 2.9.5.2), and who is
// cancelled does not get the lock later.
#include "../cancel.h"

static int fd;

static void call(void *arg UNUSED)
{
	CHECK(lockf(fd, F_LOCK, 0) != -1);
}

/* Holds the lock until it is told to go. */
static pid_t holder(int *ret_go)
{
	int ready[2], go[2];
	char c;
	pid_t pid;

	CHECK_OK(pipe(ready));
	CHECK_OK(pipe(go));
	pid = fork_watched();
	if (pid == 0) {
		close(go[1]);
		CHECK_OK(lockf(fd, F_TLOCK, 0));
		CHECK_EQ(write(ready[1], "x", 1), 1);
		CHECK_EQ(read(go[0], &c, 1), 0);
		_exit(0);
	}
	CHECK_EQ(read(ready[0], &c, 1), 1);
	*ret_go = go[1];
	return pid;
}

static void can_lock(void)
{
	CHECK_OK(lockf(fd, F_TEST, 0));
}

int main(void)
{
	const char *path = fresh_path();
	int go, status;
	pid_t pid;

	fd = open(path, O_RDWR | O_CREAT, 0600);
	CHECK(fd >= 0);
	CHECK_OK(unlink(path));
	pid = holder(&go);
	check_cancels(call, NULL);
	close(go);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(in_child(can_lock), 0);
}
