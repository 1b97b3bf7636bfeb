// SPDX-License-Identifier: BSD-2-Clause
// Each thread has a resolver's state of its own (resolver(3)), also where threads have ended before: look-ups at the same
// time do not read each other's answers.
#include "../harness.h"
#include <resolv.h>

enum { N = 12, ROUNDS = 4 };

static const struct __res_state *states[N];
static atomic_int here;

static void *body(void *arg)
{
	intptr_t i = (intptr_t)arg;

	states[i] = &_res;
	here++;
	WAIT_FOR(here == N);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int round = 0; round < ROUNDS; round++) {
		here = 0;
		for (intptr_t i = 0; i < N; i++)
			t[i] = spawn(body, (void *)i);
		join_many(t, N);
		for (int i = 0; i < N; i++) {
			CHECK(states[i] != &_res);
			for (int j = 0; j < i; j++)
				CHECK(states[i] != states[j]);
		}
	}
}
