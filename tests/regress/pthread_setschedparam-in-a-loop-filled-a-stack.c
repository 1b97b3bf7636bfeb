// SPDX-License-Identifier: BSD-2-Clause
// A thread sets another's policy in a loop while that is being given a kernel thread of its own: each call sent it the
// runtime's signal, whose handler admitted the next, until its stack was full.
#include "../posix/harness.h"

enum { ROUNDS = 20, SETTERS = 2, STACK = 256 << 10 };

static atomic_bool has_begun, are_set, over;
static pthread_t target;

static void *compute(void *arg)
{
	has_begun = true;
	while (!over)
		;
	return arg;
}

static void *set(void *arg)
{
	static const struct sched_param none;

	while (!are_set) {
		CHECK_EQ(pthread_setschedparam(target, SCHED_BATCH, &none), 0);
		CHECK_EQ(pthread_setschedparam(target, SCHED_OTHER, &none), 0);
	}
	return arg;
}

int main(void)
{
	pthread_t setters[SETTERS];
	pthread_attr_t attr;

	CHECK_EQ(pthread_attr_init(&attr), 0);
	CHECK_EQ(pthread_attr_setstacksize(&attr, STACK), 0);
	for (int round = 0; round < ROUNDS; round++) {
		has_begun = are_set = over = false;
		CHECK_EQ(pthread_create(&target, &attr, compute, NULL), 0);
		while (!has_begun)
			sched_yield();
		for (int i = 0; i < SETTERS; i++)
			CHECK_EQ(pthread_create(&setters[i], NULL, set, NULL), 0);
		usleep(30000);
		are_set = true;
		for (int i = 0; i < SETTERS; i++)
			CHECK_EQ(pthread_join(setters[i], NULL), 0);
		over = true;
		CHECK_EQ(pthread_join(target, NULL), 0);
	}
	return 0;
}
