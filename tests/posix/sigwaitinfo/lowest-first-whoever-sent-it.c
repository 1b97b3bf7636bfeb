// SPDX-License-Identifier: BSD-2-Clause
// Among many waiting threads one gets the process's pending signals lowest first, with who sent each and how.
#include "../harness.h"

#define N 20

static atomic_int ready;

static void *other(void *arg UNUSED)
{
	sigset_t s = set_of(SIGUSR2);
	siginfo_t info;

	ready++;
	CHECK_EQ(sigwaitinfo(&s, &info), SIGUSR2);
	CHECK_EQ(info.si_code, SI_USER);
	return NULL;
}

static void *body(void *arg)
{
	sigset_t s = set_of(SIGUSR1);
	static const int codes[] = { SI_USER, SI_QUEUE, SI_QUEUE, SI_QUEUE };
	siginfo_t info;

	sigaddset(&s, SIGRTMIN);
	sigaddset(&s, SIGRTMIN + 1);
	for (int i = 0; i < 4; i++) {
		CHECK_EQ(sigwaitinfo(&s, &info), i == 0 ? SIGUSR1 : i < 3 ? SIGRTMIN : SIGRTMIN + 1);
		CHECK_EQ(info.si_code, codes[i]);
		CHECK_EQ(info.si_uid, getuid());
		CHECK(i == 0 || info.si_value.sival_int == i);
	}
	return arg;
}

int main(void)
{
	pthread_t t[N];

	block_signal(SIGUSR1);
	block_signal(SIGUSR2);
	block_signal(SIGRTMIN);
	block_signal(SIGRTMIN + 1);
	spawn_many(t, N, other);
	WAIT_FOR(ready == N);
	settle();
	CHECK_OK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){ .sival_int = 3 }));
	CHECK_OK(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 1 }));
	CHECK_OK(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 2 }));
	CHECK_OK(kill(getpid(), SIGUSR1));
	join(spawn(body, NULL));
	for (int i = 0; i < N; i++)
		CHECK_OK(pthread_kill(t[i], SIGUSR2));
	join_many(t, N);
}
