// SPDX-License-Identifier: BSD-2-Clause
// What pthread_create stores equals what pthread_self says in the new thread.
#include "../harness.h"

static pthread_t t[20];
static pthread_barrier_t all;

static void *body(void *arg)
{
	pthread_barrier_wait(&all);
	CHECK(pthread_equal(t[(intptr_t)arg], pthread_self()));
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_barrier_init(&all, NULL, 21));
	spawn_many(t, 20, body);
	for (int i = 0; i < 20; i++)
		for (int j = 0; j < i; j++)
			CHECK(!pthread_equal(t[i], t[j]));
	pthread_barrier_wait(&all);
	join_many(t, 20);
}
