// SPDX-License-Identifier: BSD-2-Clause
// A child that was forked while another thread set an action waited for that one as it set one itself, or asked for it.
#include "../posix/harness.h"

enum { CHILDREN = 200 };

static atomic_bool is_over;

static void ignores(int sig UNUSED)
{
}

static void *sets_actions(void *arg)
{
	while (!is_over)
		CHECK(signal(SIGUSR1, ignores) != SIG_ERR);
	return arg;
}

/* One that waits does so with every signal blocked. */
static void reap(pid_t pid)
{
	uint64_t end = now_ns() + PATIENCE_MS * 1000000ull;
	int status = -1;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (now_ns() > end) {
			kill(pid, SIGKILL);
			CHECK(!"the child waits");
		}
		sleep_ms(1);
	}
	CHECK_EQ(status, 0);
}

int main(void)
{
	pthread_t other = spawn(sets_actions, NULL);

	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0) {
			signal(SIGPIPE, SIG_DFL);
			signal(SIGUSR1, ignores);
			raise(SIGUSR1);
			_exit(0);
		}
		reap(pid);
	}
	is_over = true;
	join(other);
	return 0;
}
