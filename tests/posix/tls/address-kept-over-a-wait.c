// SPDX-License-Identifier: BSD-2-Clause
// A pointer to one's own thread-local variable stays right over waits, and other threads can use
// it.
#include "../harness.h"

#define N 6

static __thread int mine;
static int *_Atomic published[N];

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;
	int *p = &mine;

	published[me] = p;
	for (int i = 0; i < N; i++)
		WAIT_FOR(published[i] != NULL);
	for (int i = 0; i < 20; i++) {
		sleep_ms(1);
		CHECK(p == &mine);
	}
	__atomic_fetch_add(published[(me + 1) % N], 1, __ATOMIC_SEQ_CST);
	WAIT_FOR(__atomic_load_n(p, __ATOMIC_SEQ_CST) == 1);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	join_many(t, N);
}
