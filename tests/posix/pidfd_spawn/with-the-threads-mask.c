// SPDX-License-Identifier: BSD-2-Clause
// pidfd_spawn and pidfd_spawnp (glibc 2.39) start a program that has the caller's signal mask.
#include <spawn.h>

#include "../harness.h"

extern int pidfd_spawn(int *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
		       char *const[]) __attribute__((weak));
extern int pidfd_spawnp(int *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
			char *const[]) __attribute__((weak));

/* Only SIGUSR1, 10, is blocked.  Read by the shell itself: it may block signals while it starts another program. */
static char script[] = "while read -r key mask; do [ $key = SigBlk: ] && break; done </proc/$$/status\n"
		       "[ $((0x$mask)) = 512 ] && exit 7\n";

static int result_of(int fd)
{
	siginfo_t info = { 0 };

	CHECK_OK(waitid(3 /* P_PIDFD */, (id_t)fd, &info, WEXITED));
	CHECK_EQ(info.si_code, CLD_EXITED);
	CHECK_OK(close(fd));
	return info.si_status;
}

static void *body(void *arg)
{
	char *argv[] = { (char *)"sh", (char *)"-c", script, NULL };
	int fd;

	block_signal(SIGUSR1);
	CHECK_EQ(pidfd_spawn(&fd, "/bin/sh", NULL, NULL, argv, environ), 0);
	CHECK_EQ(result_of(fd), 7);
	CHECK_EQ(pidfd_spawnp(&fd, "sh", NULL, NULL, argv, environ), 0);
	CHECK_EQ(result_of(fd), 7);
	return arg;
}

int main(void)
{
	pthread_t threads[4];
	int fd = -1;
	char *nothing_at_all[] = { NULL };

	if (!pidfd_spawn || pidfd_spawn(&fd, "/", NULL, NULL, nothing_at_all, environ) == ENOSYS)
		skip("no pidfd_spawn here");
	spawn_many(threads, 4, body);
	join_many(threads, 4);
}
