// SPDX-License-Identifier: BSD-2-Clause
// fcntl(F_SETLKW) on a range that another process has locked is a cancellation point.
#include "../cancel.h"

static void call(void *arg)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	CHECK(fcntl(*(int *)arg, F_SETLKW, &l) != -1);
}

int main(void)
{
	const char *path = fresh_path();
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path, O_RDWR | O_CREAT, 0600), p[2], status;
	pid_t pid;
	char c;

	CHECK(fd >= 0);
	CHECK_OK(unlink(path));
	CHECK_OK(pipe(p));
	pid = fork_watched();
	if (pid == 0) {
		CHECK_OK(fcntl(fd, F_SETLK, &l));
		CHECK_EQ(write(p[1], "x", 1), 1);
		sleep(WATCHDOG_SECONDS);
		_exit(0);
	}
	CHECK_EQ(read(p[0], &c, 1), 1);
	check_cancels(call, &fd);
	CHECK_OK(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
}
