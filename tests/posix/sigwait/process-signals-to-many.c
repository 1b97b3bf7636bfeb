// SPDX-License-Identifier: BSD-2-Clause
// Of many threads that wait for a queued signal of the process, each gets one, and every value comes once.
#include "../harness.h"

#define N 1000

static atomic_int got[N], ready;

static void *body(void *arg UNUSED)
{
	sigset_t s = set_of(SIGRTMIN);
	siginfo_t info;
	int sig;

	ready++;
	do			/* Linux: EINTR for whom another one was faster than */
		sig = sigwaitinfo(&s, &info);
	while (sig == -1 && errno == EINTR);
	CHECK_EQ(sig, SIGRTMIN);
	CHECK_EQ(info.si_code, SI_QUEUE);
	CHECK_EQ(info.si_pid, getpid());
	CHECK(info.si_value.sival_int >= 0 && info.si_value.sival_int < N);
	got[info.si_value.sival_int]++;
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	block_signal(SIGRTMIN);
	spawn_many(t, N, body);
	WAIT_FOR(ready == N);
	settle();
	for (int i = 0; i < N; i++)
		CHECK_OK(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i }));
	join_many(t, N);
	for (int i = 0; i < N; i++)
		CHECK_EQ(got[i], 1);
}
