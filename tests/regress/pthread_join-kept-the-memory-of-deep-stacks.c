// SPDX-License-Identifier: BSD-2-Clause
// Threads that have used much of their stacks, and were joined or had detached themselves, leave little memory in use.
// It stayed, as their stacks are kept for the threads that are made next.
#include "../posix/harness.h"

enum { THREADS = 60, DEEP = 4 << 20, PAGE = 4096 };

static pthread_barrier_t all_deep;
static atomic_int gone;

static void *deep(void *arg)
{
	volatile char array[DEEP];

	for (size_t i = 0; i < sizeof(array); i += PAGE)
		array[i] = 1;
	pthread_barrier_wait(&all_deep);
	gone++;
	return arg;
}

static long resident_mb(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long all, resident;

	CHECK(f && fscanf(f, "%ld %ld", &all, &resident) == 2);
	fclose(f);
	return resident * (PAGE / 1024) / 1024;
}

/* Every third is detached, every other one has a stack of its own size. */
static void make_all(pthread_t *t)
{
	pthread_attr_t attr;

	for (int i = 0; i < THREADS; i++) {
		CHECK_OK(pthread_attr_init(&attr));
		if (i % 2)
			CHECK_OK(pthread_attr_setstacksize(&attr, 6 << 20));
		if (i % 3 == 0)
			CHECK_OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
		CHECK_OK(pthread_create(&t[i], &attr, deep, NULL));
		pthread_attr_destroy(&attr);
	}
}

int main(void)
{
	pthread_t t[THREADS];
	long before = resident_mb();

	CHECK_OK(pthread_barrier_init(&all_deep, NULL, THREADS + 1));
	for (int round = 0; round < 3; round++) {
		gone = 0;
		make_all(t);
		pthread_barrier_wait(&all_deep);
		WAIT_FOR(gone == THREADS);
		for (int i = 0; i < THREADS; i++)
			if (i % 3)
				join(t[i]);
		for (int i = 0; i < 100 && resident_mb() >= before + 64; i++)
			sleep_ms(50);
		CHECK(resident_mb() < before + 64);
	}
}
