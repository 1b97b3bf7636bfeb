// SPDX-License-Identifier: BSD-2-Clause
// A kernel thread with nothing to do may still admit what no thread does any more.  When it had taken such a signal
// from the kernel, and not queued it yet, it was neither pending nor there for a sigtimedwait that does not wait.
#include "../posix/sender.h"

enum { ROUNDS = 300, ENDING = 4 };

int main(void)
{
	const struct timespec no_time = { 0 };
	sigset_t set = set_of(SIGUSR1), pending;
	pthread_t t[ENDING];

	CHECK_OK(pipe(ask));
	CHECK_OK(pipe(answer));
	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);

	pid_t child = fork_watched();

	if (child == 0)
		send_on_request();
	CHECK_OK(pthread_barrier_init(&all, NULL, ENDING));
	for (int i = 0; i < ROUNDS; i++) {
		spawn_many(t, ENDING, admits);
		join_many(t, ENDING);
		have_it_sent();
		if (i % 2) {
			CHECK_OK(sigpending(&pending));
			CHECK(sigismember(&pending, SIGUSR1));
		}
		CHECK_EQ(sigtimedwait(&set, NULL, &no_time), SIGUSR1);
	}
	CHECK_OK(close(ask[1]));
	CHECK_EQ(waitpid(child, NULL, 0), child);
}
