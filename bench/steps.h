// SPDX-License-Identifier: BSD-2-Clause
/*
 * The two programs of psyche.c that wait at every step, for it and for peers: who includes this has said before
 * what threads, locks and conditions are, in the words of threads.h.  It is C and C++.
 */
#ifndef BENCH_STEPS_H
#define BENCH_STEPS_H

#include <math.h>
#include <sched.h>
#include <stdint.h>

enum {
	SIZE = 512, ELEMENTS = 4608, THREADS = 128, THREADS_MAX = 1024,
	BRANCHES = 4,		/* children of a node of the tree barrier */
};

static double matrix[SIZE][SIZE + 1], solution[SIZE];	/* the last column is the right-hand side */
static int numbers[ELEMENTS];
static unsigned nthreads;
static thread threads[THREADS_MAX];
static barrier central, begin;

/*
 * A node for each thread: it waits for its children, tells its parent, and is told by it.  The root
 * (0) tells downwards when all are there.  `arrived` counts children, and `told` barriers.
 */
static struct node {
	mutex lock;
	cond is_full, is_told;
	unsigned arrived, told;
} __attribute__((aligned(128))) nodes[THREADS_MAX];

static void init_nodes(void)
{
	for (unsigned i = 0; i < nthreads; i++) {
		nodes[i].arrived = nodes[i].told = 0;
		mutex_init(&nodes[i].lock, false);
		cond_init(&nodes[i].is_full, false);
		cond_init(&nodes[i].is_told, false);
	}
}

static unsigned children_of(unsigned me)
{
	unsigned first = me * BRANCHES + 1;

	return first >= nthreads ? 0u : nthreads - first < BRANCHES ? nthreads - first : (unsigned)BRANCHES;
}

static void arrive(struct node *parent, unsigned siblings)
{
	mutex_lock(&parent->lock);
	if (++parent->arrived == siblings)
		cond_signal(&parent->is_full);
	mutex_unlock(&parent->lock);
}

static void tell(struct node *child)
{
	mutex_lock(&child->lock);
	child->told++;
	cond_signal(&child->is_told);
	mutex_unlock(&child->lock);
}

/* The turn-th barrier, counted from 1. */
static void wait_in_tree(unsigned me, unsigned turn)
{
	struct node *n = &nodes[me];
	unsigned children = children_of(me), parent = (me - 1) / BRANCHES;

	mutex_lock(&n->lock);
	while (n->arrived < children)
		cond_wait(&n->is_full, &n->lock);
	n->arrived = 0;
	mutex_unlock(&n->lock);
	if (me) {
		arrive(&nodes[parent], children_of(parent));
		mutex_lock(&n->lock);
		while (n->told < turn)
			cond_wait(&n->is_told, &n->lock);
		mutex_unlock(&n->lock);
	}
	for (unsigned i = 0; i < children; i++)
		tell(&nodes[me * BRANCHES + 1 + i]);
}

/* Diagonally dominant, so no row has to change places; the solution is 1, 2, 3... */
static void fill_matrix(void)
{
	for (int i = 0; i < SIZE; i++) {
		matrix[i][SIZE] = 0;
		for (int j = 0; j < SIZE; j++) {
			matrix[i][j] = i == j ? (double)SIZE : (double)((i * 7 + j * 13) % 17) / 17;
			matrix[i][SIZE] += matrix[i][j] * (j + 1);
		}
	}
}

static void eliminate(int row, int pivot)
{
	double factor = matrix[row][pivot] / matrix[pivot][pivot];

	for (int j = pivot; j <= SIZE; j++)
		matrix[row][j] -= factor * matrix[pivot][j];
}

/* Rows are dealt out one by one, so that everybody has some to the end. */
static void eliminate_mine(unsigned me, int pivot)
{
	unsigned first = (unsigned)pivot + 1;

	for (unsigned row = first + (me + nthreads - first % nthreads) % nthreads; row < SIZE; row += nthreads)
		eliminate((int)row, pivot);
}

static void check_solution(void)
{
	for (int i = SIZE - 1; i >= 0; i--) {
		double sum = matrix[i][SIZE];

		for (int j = i + 1; j < SIZE; j++)
			sum -= matrix[i][j] * solution[j];
		solution[i] = sum / matrix[i][i];
		if (!(fabs(solution[i] - (i + 1)) < 1e-6))
			die("element %d of the solution is %g", i, solution[i]);
	}
}

/* All are there, and then they may go on: the clock begins between these, as who waits may run after those who go on. */
static void wait_for_begin(void)
{
	barrier_wait(&begin);
	barrier_wait(&begin);
}

static void *gauss_thread(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	wait_for_begin();
	for (int pivot = 0; pivot < SIZE; pivot++) {
		eliminate_mine(me, pivot);
		wait_in_tree(me, (unsigned)pivot + 1);
	}
	barrier_wait(&begin);
	return NULL;
}

static void fill_numbers(void)
{
	for (int i = 0; i < ELEMENTS; i++)
		numbers[i] = (int)((unsigned)i * 2897u % ELEMENTS);	/* each once: 2897 is prime */
}

static void check_numbers(void)
{
	for (int i = 0; i < ELEMENTS; i++)
		if (numbers[i] != i)
			die("%d is in the place of %d", numbers[i], i);
}

/* Neighbours that begin at an even place, then at an odd one... */
static void exchange_mine(unsigned me, int phase)
{
	int from = (int)(ELEMENTS / 2 * (uint64_t)me / nthreads), to = (int)(ELEMENTS / 2 * (uint64_t)(me + 1) / nthreads);

	for (int pair = from; pair < to; pair++) {
		int i = 2 * pair + phase % 2;

		if (i + 1 < ELEMENTS && numbers[i] > numbers[i + 1]) {
			int larger = numbers[i];

			numbers[i] = numbers[i + 1];
			numbers[i + 1] = larger;
		}
	}
}

static void *sort_thread(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	wait_for_begin();
	for (int phase = 0; phase < ELEMENTS; phase++) {
		exchange_mine(me, phase);
		barrier_wait(&central);
	}
	barrier_wait(&begin);
	return NULL;
}

/* The time from when all threads are there until all are done. */
static double time_threads(void *(*body)(void *), unsigned n)
{
	nthreads = n;
	init_nodes();
	barrier_init(&central, n);
	barrier_init(&begin, n + 1);
	for (unsigned i = 0; i < n; i++)
		threads[i] = thread_start(body, (void *)(uintptr_t)i, 0, 0);
	barrier_wait(&begin);
	uint64_t t_start = now_ns();

	barrier_wait(&begin);
	barrier_wait(&begin);
	double ns = (double)(now_ns() - t_start);

	for (unsigned i = 0; i < n; i++)
		thread_join(threads[i]);
	return ns;
}

static double once_gauss(unsigned n)
{
	fill_matrix();
	double ns = time_threads(gauss_thread, n);

	check_solution();
	return ns;
}

static double once_sort(unsigned n)
{
	fill_numbers();
	double ns = time_threads(sort_thread, n);

	check_numbers();
	return ns;
}

static double mean_ns(double (*once)(unsigned n), unsigned n, uint64_t at_least_ns)
{
	double sum = 0;
	unsigned count = 0;

	while (!count || sum < (double)at_least_ns) {
		sum += once(n);
		count++;
	}
	return sum / count;
}

/* Nobody to wait for. */
static double once_alone(unsigned n)
{
	(void)n;
	nthreads = 1;
	fill_matrix();
	uint64_t t_start = now_ns();

	for (int pivot = 0; pivot < SIZE; pivot++)
		eliminate_mine(0, pivot);
	double ns = (double)(now_ns() - t_start);

	check_solution();
	return ns;
}

static unsigned count_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

/* Of the processors' time, what went into the elimination. */
static double gauss_percent(unsigned per_cpu, uint64_t at_least_ns)
{
	unsigned ncpus = count_cpus(), n = per_cpu * ncpus;

	if (n > THREADS_MAX)
		die("%u threads are too many", n);
	double alone = mean_ns(once_alone, 1, at_least_ns), ns = mean_ns(once_gauss, n, at_least_ns);

	return 100 * alone / ns / ncpus;
}

#endif
