// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a peer has of myth.c, dgux.c and psyche.c: the operations between threads of its own, in the words of cases.h,
 * which includes this.  Figures are named as there, and made as there: the least of some slices of the time.
 */
#ifndef BENCH_PEERS_PAPERS_H
#define BENCH_PEERS_PAPERS_H

#include <sys/syscall.h>
#include <unistd.h>

/* The words of threads.h. */
typedef peer_thread thread;
typedef peer_lock mutex;
typedef peer_cond cond;
typedef struct {
	mutex lock;
	cond is_full;
	unsigned size, here, turn;
} barrier;

#define thread_start(body, arg, flags, stack_bytes) peer_spawn((body), (arg))
#define thread_join(t) ((void)peer_join(t))
#define mutex_init(m, is_shared) peer_lock_init(m)
#define mutex_lock(m) peer_lock_take(m)
#define mutex_unlock(m) peer_lock_drop(m)
#define cond_init(c, is_shared) peer_cond_init(c)
#define cond_wait(c, m) peer_cond_wait((c), (m))
#define cond_signal(c) peer_cond_signal(c)
#define now_ns peer_now_ns
#define die(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))

static void barrier_init(barrier *b, unsigned size)
{
	peer_lock_init(&b->lock);
	peer_cond_init(&b->is_full);
	b->size = size;
	b->here = b->turn = 0;
}

static void barrier_wait(barrier *b)
{
	peer_lock_take(&b->lock);
	unsigned turn = b->turn;

	if (++b->here == b->size) {
		b->here = 0;
		b->turn++;
		peer_cond_broadcast(&b->is_full);
	}
	while (b->turn == turn)
		peer_cond_wait(&b->is_full, &b->lock);
	peer_lock_drop(&b->lock);
}

#include "../steps.h"

static void null_syscalls(void)
{
	for (int i = 0; i < 256; i++)
		syscall(SYS_getppid);
}

/* A stroke of ping-pong is a turn by locks. */
static double time_strokes(void)
{
	uint64_t start = peer_now_ns(), least = UINT64_MAX;

	tournament.games = 1;
	tournament.strokes = TRIAL;
	do {
		uint64_t ns = play_all().play_ns;

		least = ns < least ? ns : least;
	} while (peer_now_ns() - start < length_ns);
	return (double)least / (2.0 * TRIAL);
}

/* What creation takes of the creator alone. */
static double time_creation(void)
{
	enum { N = 256 };
	uint64_t start = peer_now_ns(), elapsed = 0, count = 0;

	do {
		uint64_t t = peer_now_ns();

		for (int i = 0; i < N; i++)
			batch_threads[i] = peer_spawn(nothing, NULL);
		elapsed += peer_now_ns() - t;
		count += N;
		for (int i = 0; i < N; i++)
			peer_join(batch_threads[i]);
	} while (peer_now_ns() - start < length_ns);
	return (double)elapsed / (double)count;
}

static double time_yields(void)
{
	return with_partner(yields_until_over, yields, 2 * ROUNDS, yields);
}

static double time_turns(void)
{
	return with_partner(takes_turns, condition_rounds, 2 * ROUNDS, wake_turn);
}

static int measure_myth(const char *table)
{
	if (!strcmp(table, "table-1")) {
		put_ns("lock", time_each(locks, 1024));
	} else if (!strcmp(table, "table-3")) {
		put_ns("thread", time_each(create_join, 16));
	} else if (!strcmp(table, "table-4")) {
		put_ns("yield", time_yields());
	} else if (!strcmp(table, "start")) {
		peer_join(peer_spawn(nothing, NULL));
		put_ns("first-thread", (double)(peer_now_ns() - began_ns));
	} else {
		return SKIPPED;
	}
	return 0;
}

static double syscall_ns;	/* 0: no multiples */

static void put_row(const char *metric, double ns)
{
	put_ns(metric, ns);
	if (syscall_ns > 0)
		printf("%s/syscall %.6g x\n", metric, ns / syscall_ns);
}

static int measure_dgux(const char *table)
{
	if (!strcmp(table, "table-3")) {
		syscall_ns = time_each(null_syscalls, 256);
		put_row("yield-alone", time_each(yields, ROUNDS));
		put_row("yield", time_yields());
		put_row("mutex", time_strokes());
		put_row("condition", time_turns());
		put_row("create-exit-join", time_each(create_join, 16));
	} else if (!strcmp(table, "table-4")) {
		put_row("thread", time_each(create_join, 16));
	} else if (!strcmp(table, "table-5")) {
		put_row("condition", time_turns());
	} else if (!strcmp(table, "table-6")) {
		put_row("create", time_creation());
		put_row("mutex", time_strokes());
		put_row("condition", time_turns());
	} else {
		return SKIPPED;
	}
	return 0;
}

static int measure_psyche(const char *name)
{
	bool is_gauss = !strcmp(name, "gauss");
	size_t per_cpu = strncmp(name, "gauss-", 6) ? 0 : crowd_of(name + 6);

	if (!is_gauss && strcmp(name, "sort") && !per_cpu)
		return SKIPPED;
	if (!PEER_HAS_STEPS) {
		puts("note threads that wait for each other at every step take minutes");
		return SKIPPED;
	}
	if (per_cpu)
		printf("- %.6g %%\n", gauss_percent((unsigned)per_cpu, length_ns));
	else
		printf("- %.6g ms\n", mean_ns(is_gauss ? once_gauss : once_sort, THREADS, length_ns) / 1e6);
	return 0;
}

static const struct {
	const char *name;
	int (*measure)(const char *of_case);
} papers[] = { { "myth/", measure_myth }, { "dgux/", measure_dgux }, { "psyche/", measure_psyche } };

/* A case of these has its benchmark's name before its own. */
static int measure_papers(const char *name)
{
	nslices = 7;
	for (size_t i = 0; i < sizeof(papers) / sizeof(papers[0]); i++) {
		size_t len = strlen(papers[i].name);

		if (!strncmp(name, papers[i].name, len))
			return papers[i].measure(name + len);
	}
	return SKIPPED;
}

#endif
