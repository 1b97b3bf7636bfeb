// SPDX-License-Identifier: BSD-2-Clause
// When the last threads that admitted a signal ended at one moment, kernel threads with nothing to do admitted it
// from then on: it was taken from the kernel each time, where a signalfd would have shown it.
#include "../posix/sender.h"

#include <sys/signalfd.h>

enum { ROUNDS = 200, ENDING = 4, TRIES = 100 };

/* Does a signalfd show a signal that comes now?  Those asleep with an old mask may take one each, pending all the same. */
static bool is_shown(int fd, const sigset_t *set)
{
	const struct timespec no_time = { 0 };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	sigset_t pending;

	have_it_sent();
	bool shown = poll(&p, 1, 0) == 1;

	CHECK_OK(sigpending(&pending));
	CHECK(sigismember(&pending, SIGUSR1));
	CHECK_EQ(sigtimedwait(set, NULL, &no_time), SIGUSR1);
	return shown;
}

int main(void)
{
	sigset_t set = set_of(SIGUSR1);
	int fd = signalfd(-1, &set, SFD_CLOEXEC);
	pthread_t t[ENDING];

	CHECK(fd >= 0);
	CHECK_OK(pipe(ask));
	CHECK_OK(pipe(answer));
	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);

	pid_t child = fork_watched();

	if (child == 0)
		send_on_request();
	CHECK_OK(pthread_barrier_init(&all, NULL, ENDING));
	for (int i = 0; i < ROUNDS; i++) {
		int tries = 0;

		spawn_many(t, ENDING, admits);
		join_many(t, ENDING);
		while (!is_shown(fd, &set))
			CHECK(++tries < TRIES);
	}
	CHECK_OK(close(ask[1]));
	CHECK_EQ(waitpid(child, NULL, 0), child);
}
