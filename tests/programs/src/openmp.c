// SPDX-License-Identifier: BSD-2-Clause
/*
 * OpenMP by libgomp, whose futex calls are inline and whose waits spin: loops, reductions, barriers,
 * tasks, critical sections, nested and repeated teams.  One line a part, the same each time.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void loops(void)
{
	enum { N = 1 << 20 };
	uint32_t *x = malloc(N * sizeof(*x));
	uint64_t sum = 0;
	uint32_t largest = 0;

	for (int round = 0; round < 10; round++) {
		#pragma omp parallel for schedule(static)
		for (uint32_t i = 0; i < N; i++)
			x[i] = (i + (uint32_t)round) * 2654435761u;
		#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : sum) reduction(max : largest)
		for (uint32_t i = 0; i < N; i++) {
			sum += x[i] >> 8;
			largest = x[i] > largest ? x[i] : largest;
		}
	}
	printf("loops %ju %u\n", (uintmax_t)sum, largest);
	free(x);
}

/* Every thread passes every barrier in step: a phase never sees a neighbour of another phase. */
static void barriers(void)
{
	int phase[64] = { 0 }, wrong = 0, team = 0;

	#pragma omp parallel shared(phase) reduction(+ : wrong)
	{
		int me = omp_get_thread_num(), all = omp_get_num_threads();

		#pragma omp single
		team = all;
		for (int i = 1; i <= 200; i++) {
			phase[me] = i;
			#pragma omp barrier
			wrong += phase[(me + 1) % all] != i;
			#pragma omp barrier
		}
	}
	printf("barriers team %d wrong %d\n", team, wrong);
}

static long fib(int n)
{
	long a, b;

	if (n < 2)
		return n;
	if (n < 12)
		return fib(n - 1) + fib(n - 2);
	#pragma omp task shared(a)
	a = fib(n - 1);
	#pragma omp task shared(b)
	b = fib(n - 2);
	#pragma omp taskwait
	return a + b;
}

static void tasks(void)
{
	long result = 0;
	int order[8] = { 0 };

	#pragma omp parallel
	#pragma omp single
	{
		result = fib(24);
		for (int i = 1; i < 8; i++) {
			#pragma omp task depend(in : order[i - 1]) depend(out : order[i]) shared(order)
			order[i] = order[i - 1] + i;
		}
	}
	printf("tasks %ld chain %d\n", result, order[7]);
}

static void locks(void)
{
	omp_lock_t lock;
	long in_critical = 0, in_lock = 0, atomic = 0, ordered = 0;

	omp_init_lock(&lock);
	#pragma omp parallel for
	for (int i = 0; i < 20000; i++) {
		#pragma omp critical
		in_critical += i;
		omp_set_lock(&lock);
		in_lock += i;
		omp_unset_lock(&lock);
		#pragma omp atomic
		atomic += i;
	}
	#pragma omp parallel for ordered schedule(dynamic)
	for (int i = 0; i < 500; i++) {
		#pragma omp ordered
		ordered = ordered * 31 % 1000003 + i;
	}
	omp_destroy_lock(&lock);
	printf("locks %ld %ld %ld %ld\n", in_critical, in_lock, atomic, ordered);
}

static void nested(void)
{
	int leaves = 0;

	omp_set_max_active_levels(2);
	for (int i = 0; i < 20; i++) {
		#pragma omp parallel num_threads(3)
		#pragma omp parallel num_threads(4)
		#pragma omp atomic
		leaves++;
	}
	printf("nested %d\n", leaves);
}

int main(void)
{
	loops();
	barriers();
	tasks();
	locks();
	nested();
	return 0;
}
