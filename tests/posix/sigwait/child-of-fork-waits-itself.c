// SPDX-License-Identifier: BSD-2-Clause
// While threads wait for a signal the process forks: parent and child each get their own signals.
#include "../harness.h"

#define N 10

static atomic_int got;

static void *body(void *arg UNUSED)
{
	sigset_t s = set_of(SIGUSR1);
	int sig;

	CHECK_OK(sigwait(&s, &sig));
	CHECK_EQ(sig, SIGUSR1);
	got++;
	return NULL;
}

static void release(pthread_t *t)
{
	for (int i = 1; i <= N; i++) {
		CHECK_OK(kill(getpid(), SIGUSR1));
		WAIT_FOR(got == i);
	}
	join_many(t, N);
}

static void child(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	settle();
	release(t);
}

int main(void)
{
	pthread_t t[N];

	block_signal(SIGUSR1);
	spawn_many(t, N, body);
	settle();
	CHECK_EQ(in_child(child), 0);
	CHECK_EQ(got, 0);
	release(t);
}
