// SPDX-License-Identifier: BSD-2-Clause
// A signal that came to a thread in its last moments, when it had looked for the last time, kept its place in the queue
// for good: after some thousand of them no thread could be sent any.
#include "../posix/harness.h"

enum { THREADS = 400, QUEUED = 1700, TURN = 64 };

static void handler(int sig UNUSED)
{
}

static void signal_until_it_ends(void)
{
	pthread_t t = spawn(nothing, NULL);

	for (int i = 1; pthread_tryjoin_np(t, NULL) == EBUSY; i++) {
		kill_if_there(t, SIGUSR1);
		if (i % TURN == 0)
			sched_yield();
	}
}

static void *queues_to_itself(void *arg)
{
	sigset_t set = set_of(SIGRTMIN);
	siginfo_t info;

	block_signal(SIGRTMIN);
	for (int i = 0; i < QUEUED; i++)
		CHECK_OK(pthread_sigqueue(pthread_self(), SIGRTMIN, (union sigval){ .sival_int = i }));
	for (int i = 0; i < QUEUED; i++) {
		CHECK_EQ(sigwaitinfo(&set, &info), SIGRTMIN);
		CHECK_EQ(info.si_value.sival_int, i);
	}
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);		/* they inherit that: nothing but its queue has to do with it */
	for (int i = 0; i < THREADS; i++)
		signal_until_it_ends();
	join(spawn(queues_to_itself, NULL));
}
