// SPDX-License-Identifier: BSD-2-Clause
// Real-time signals are queued in order with their values; sigwaitinfo tells who sent them.
#include "../harness.h"

#define N 20

static void *body(void *arg UNUSED)
{
	sigset_t s = set_of(SIGRTMIN);
	siginfo_t info;

	for (int i = 0; i < N; i++) {
		CHECK_EQ(sigwaitinfo(&s, &info), SIGRTMIN);
		CHECK_EQ(info.si_value.sival_int, i);
		CHECK_EQ(info.si_code, SI_QUEUE);
		CHECK_EQ(info.si_pid, getpid());
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	block_signal(SIGRTMIN);
	t = spawn(body, NULL);
	for (int i = 0; i < N; i++)
		CHECK_OK(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i }));
	join(t);
}
