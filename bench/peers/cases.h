// SPDX-License-Identifier: BSD-2-Clause
/*
 * The cases of micro.c, pingpong.c and scale.c, of papers.h and echo.sh, for thread systems that have an interface of
 * their own: a peer includes this once, after it has said in its own words what these are:
 *
 *	peer_thread, peer_lock, peer_cond, peer_sem	types
 *	PEER_PROCESSORS		1: it uses one, however many there are
 *	peer_start, peer_end	around everything
 *	peer_spawn(body, arg), peer_join(thread), peer_yield()
 *	peer_lock_init, peer_lock_take, peer_lock_drop
 *	peer_cond_init, peer_cond_wait(cond, lock), peer_cond_signal, peer_cond_broadcast
 *	peer_sem_init, peer_sem_wait, peer_sem_post
 *
 * and may say, where it is not so by itself,
 *
 *	PEER_THREADS_MAX	how many at a time are not too many for it; 0: as many as there is memory for
 *	PEER_IS_BREADTH_FIRST	1: of a tree of threads, all are there at a time
 *	PEER_HAS_ONLY_MICRO	1: it leaves all but micro to other programs
 *	PEER_HAS_STEPS	0: it takes minutes where some hundred threads wait for each other at every step
 *	PEER_CONNECTIONS_MAX	how many it can serve at a time, by peer_echo(listener), which does not return; 0: none
 *
 * It takes `PEER CASE SECONDS NAME` and answers as bench.h tells: it exits with 77 where it has no
 * such case, or is asked to use more processors than it can.  It is C and C++.
 */
#ifndef BENCH_PEERS_CASES_H
#define BENCH_PEERS_CASES_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../memory.h"
#include "../spin.h"

enum {
	BATCH = 1000, ROUNDS = 64, SKIPPED = 77,
	TREE_DEPTH = 27, TREE_DEPTH_QUICK = 20, BYTES_EACH = 16384 /* of a thread, at most */,
	GAMES = 5000, STROKES = 1000000, TRIAL = 2000,
	MATCHES = 4, CONTENDERS = 64, LINES = 128 /* two cache lines */,
};

#ifndef PEER_THREADS_MAX
#define PEER_THREADS_MAX 0
#endif
#ifndef PEER_IS_BREADTH_FIRST
#define PEER_IS_BREADTH_FIRST 0
#endif
#ifndef PEER_HAS_ONLY_MICRO
#define PEER_HAS_ONLY_MICRO 0
#endif
#ifndef PEER_HAS_STEPS
#define PEER_HAS_STEPS 1
#endif
#ifndef PEER_CONNECTIONS_MAX
#define PEER_CONNECTIONS_MAX 0
#endif

static uint64_t length_ns, began_ns;
static unsigned nslices = 1;		/* of the time; the least counts */
static volatile bool is_over;

static uint64_t peer_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put_ns(const char *metric, double ns)
{
	printf("%s %.6g ns\n", metric, ns);
}

static double mean_of_slice(void (*operations)(void), unsigned n)
{
	uint64_t start = peer_now_ns(), elapsed, count = 0;

	do {
		operations();
		count += n;
		elapsed = peer_now_ns() - start;
	} while (elapsed < length_ns / nslices);
	return (double)elapsed / (double)count;
}

/* The mean time of one of the `n` operations of a call, after a first one that does not count. */
static double time_each(void (*operations)(void), unsigned n)
{
	operations();
	double least = mean_of_slice(operations, n);

	for (unsigned i = 1; i < nslices; i++) {
		double ns = mean_of_slice(operations, n);

		least = ns < least ? ns : least;
	}
	return least;
}

/* So many threads at a time; if not, says why. */
static bool can_hold(uint64_t n)
{
	if (PEER_THREADS_MAX && n > PEER_THREADS_MAX)
		printf("note %llu threads at a time are too many for it\n", (unsigned long long)n);
	else if ((double)n * BYTES_EACH > memory_left_bytes() * 0.9)
		printf("note there is no memory left for %llu threads at a time\n", (unsigned long long)n);
	else
		return true;
	return false;
}

static void *nothing(void *arg)
{
	return arg;
}

static void create_join(void)
{
	for (int i = 0; i < 16; i++)
		peer_join(peer_spawn(nothing, NULL));
}

static peer_thread batch_threads[BATCH];

static void batch(void)
{
	for (int i = 0; i < BATCH; i++)
		batch_threads[i] = peer_spawn(nothing, NULL);
	for (int i = 0; i < BATCH; i++)
		peer_join(batch_threads[i]);
}

static void *yields_until_over(void *arg)
{
	while (!is_over)
		peer_yield();
	return arg;
}

static void yields(void)
{
	for (int i = 0; i < ROUNDS; i++)
		peer_yield();
}

static peer_sem ping, pong;

static void *answers(void *arg)
{
	for (;;) {
		peer_sem_wait(&ping);
		if (is_over)
			return arg;
		peer_sem_post(&pong);
	}
}

static void semaphore_rounds(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		peer_sem_post(&ping);
		peer_sem_wait(&pong);
	}
}

static struct {
	peer_lock lock;
	peer_cond is_ours[2];
	int turn;
} turns;

static void take_turn(int me)
{
	peer_lock_take(&turns.lock);
	while (turns.turn != me)
		peer_cond_wait(&turns.is_ours[me], &turns.lock);
	turns.turn = !me;
	peer_cond_signal(&turns.is_ours[!me]);
	peer_lock_drop(&turns.lock);
}

static void *takes_turns(void *arg)
{
	while (!is_over)
		take_turn(1);
	return arg;
}

static void condition_rounds(void)
{
	for (int i = 0; i < ROUNDS; i++)
		take_turn(0);
}

static void locks(void)
{
	for (int i = 0; i < 1024; i++) {
		peer_lock_take(&turns.lock);
		peer_lock_drop(&turns.lock);
	}
}

/* Letter boxes: see micro.c. */
struct box {
	peer_lock lock;
	peer_cond filled;
	bool is_filled;
} __attribute__((aligned(LINES)));

static struct match {
	struct box boxes[2];
	uint64_t rounds;
	bool is_over;
} matches[MATCHES];

static uint64_t deadline_ns;

static void throw_to(struct box *b)
{
	peer_lock_take(&b->lock);
	b->is_filled = true;
	peer_cond_signal(&b->filled);
	peer_lock_drop(&b->lock);
}

static void catch_from(struct box *b)
{
	peer_lock_take(&b->lock);
	while (!b->is_filled)
		peer_cond_wait(&b->filled, &b->lock);
	b->is_filled = false;
	peer_lock_drop(&b->lock);
}

static void *throws(void *arg)
{
	struct match *m = (struct match *)arg;

	do {
		for (int i = 0; i < ROUNDS; i++) {
			throw_to(&m->boxes[1]);
			catch_from(&m->boxes[0]);
		}
		m->rounds += ROUNDS;
	} while (peer_now_ns() < deadline_ns);
	m->is_over = true;
	throw_to(&m->boxes[1]);
	return arg;
}

static void *throws_back(void *arg)
{
	struct match *m = (struct match *)arg;

	for (;;) {
		catch_from(&m->boxes[1]);
		if (m->is_over)
			return arg;
		throw_to(&m->boxes[0]);
	}
}

static void measure_matches(int n)
{
	peer_thread players[MATCHES][2];
	uint64_t start = peer_now_ns(), rounds = 0;

	deadline_ns = start + length_ns;
	for (int i = 0; i < n; i++) {
		for (int side = 0; side < 2; side++) {
			peer_lock_init(&matches[i].boxes[side].lock);
			peer_cond_init(&matches[i].boxes[side].filled);
		}
		players[i][0] = peer_spawn(throws, &matches[i]);
		players[i][1] = peer_spawn(throws_back, &matches[i]);
	}
	for (int i = 0; i < n; i++) {
		peer_join(players[i][0]);
		peer_join(players[i][1]);
		rounds += matches[i].rounds;
	}
	printf("- %.6g ns\n", (double)(peer_now_ns() - start) / (double)rounds);
}

/* A short section, and 100 ns of work outside; whoever looks at the clock when the time is over ends it for all. */
static struct {
	uint64_t guarded[4];
	unsigned spins;			/* that take 100 ns */
	struct { uint64_t operations; } __attribute__((aligned(LINES))) by[CONTENDERS];
} contest;

static void *contends(void *arg)
{
	uint64_t *operations = (uint64_t *)arg, n = 0;

	peer_sem_post(&ping);
	peer_sem_wait(&pong);
	while (!is_over) {
		peer_lock_take(&turns.lock);
		for (int i = 0; i < 4; i++)
			contest.guarded[i]++;
		peer_lock_drop(&turns.lock);
		spin(contest.spins);
		if (++n % 1024 == 0 && peer_now_ns() >= deadline_ns)
			is_over = true;
	}
	*operations = n;
	return arg;
}

static void measure_contended(void)
{
	peer_thread threads[CONTENDERS];
	uint64_t sum = 0, least = UINT64_MAX;

	if (length_ns < 1000000000u)
		length_ns = 1000000000u;	/* fairness is judged over a second */
	contest.spins = spins_in_100_ns(peer_now_ns);
	for (int i = 0; i < CONTENDERS; i++)
		threads[i] = peer_spawn(contends, &contest.by[i].operations);
	for (int i = 0; i < CONTENDERS; i++)
		peer_sem_wait(&ping);
	uint64_t start = peer_now_ns();

	deadline_ns = start + length_ns;
	for (int i = 0; i < CONTENDERS; i++)
		peer_sem_post(&pong);
	for (int i = 0; i < CONTENDERS; i++)
		peer_join(threads[i]);
	uint64_t elapsed = peer_now_ns() - start;

	for (int i = 0; i < CONTENDERS; i++) {
		uint64_t n = contest.by[i].operations;

		sum += n;
		least = n < least ? n : least;
	}
	if (contest.guarded[0] != sum)
		exit(1);
	printf("- %.6g Mop/s\nleast %.6g of-mean\n", (double)sum * 1e3 / (double)elapsed,
	       (double)least * CONTENDERS / (double)(sum ? sum : 1));
}

/* A thread for each call of fib(n), the naive way: depth first, as many are there at a time as the tree is deep. */
static struct { int depth; intptr_t result; uint64_t calls; } whole;

static void *fib(void *arg)
{
	intptr_t n = (intptr_t)arg;

	if (n < 2)
		return (void *)n;
	peer_thread left = peer_spawn(fib, (void *)(n - 1)), right = peer_spawn(fib, (void *)(n - 2));
	intptr_t sum = (intptr_t)peer_join(left);

	return (void *)(sum + (intptr_t)peer_join(right));
}

static void tree(void)
{
	if ((intptr_t)peer_join(peer_spawn(fib, (void *)(intptr_t)whole.depth)) != whole.result)
		exit(1);
}

static int measure_tree(int depth)
{
	intptr_t next = 1;

	whole.depth = depth;
	for (int i = 0; i < depth; i++) {
		intptr_t sum = whole.result + next;

		whole.result = next;
		next = sum;
	}
	whole.calls = 2 * (uint64_t)next - 1;
	if (PEER_IS_BREADTH_FIRST && !can_hold(whole.calls))
		return SKIPPED;
	double before = memory_of_process("VmRSS:");

	memory_forget_peak();
	put_ns("-", time_each(tree, (unsigned)whole.calls));
	printf("peak %.6g kB\n", (memory_of_process("VmHWM:") - before) / 1024);
	return 0;
}

/* Threads that all wait for one condition: see scale.c. */
static struct {
	size_t waiting, expected;
	bool is_told;
} crowd;

static void *waits_for_go(void *arg)
{
	peer_lock_take(&turns.lock);
	if (++crowd.waiting == crowd.expected)
		peer_cond_signal(&turns.is_ours[0]);
	while (!crowd.is_told)
		peer_cond_wait(&turns.is_ours[1], &turns.lock);
	peer_lock_drop(&turns.lock);
	return arg;
}

static void wait_for_crowd(size_t n)
{
	peer_lock_take(&turns.lock);
	crowd.expected = n;
	while (crowd.waiting < n)
		peer_cond_wait(&turns.is_ours[0], &turns.lock);
	peer_lock_drop(&turns.lock);
}

static void wake_crowd(void)
{
	peer_lock_take(&turns.lock);
	crowd.is_told = true;
	peer_cond_broadcast(&turns.is_ours[1]);
	peer_lock_drop(&turns.lock);
}

/* One more is there before. */
static int measure_scale(size_t n)
{
	peer_thread *threads, first;

	if (!can_hold(n))
		return SKIPPED;
	if (!(threads = (peer_thread *)malloc(n * sizeof(*threads))))
		return 1;
	memset((void *)threads, 1, n * sizeof(*threads));
	first = peer_spawn(waits_for_go, NULL);
	wait_for_crowd(1);
	double resident = memory_of_process("VmRSS:"), tables = memory_of_process("VmPTE:");
	uint64_t start = peer_now_ns();

	for (size_t i = 0; i < n; i++)
		threads[i] = peer_spawn(waits_for_go, NULL);
	wait_for_crowd(n + 1);
	uint64_t made = peer_now_ns() - start;

	resident = (memory_of_process("VmRSS:") - resident) / (double)n;
	tables = (memory_of_process("VmPTE:") - tables) / (double)n;
	start = peer_now_ns();
	wake_crowd();
	for (size_t i = 0; i < n; i++)
		peer_join(threads[i]);
	uint64_t woken = peer_now_ns() - start;

	peer_join(first);
	free((void *)threads);
	printf("create %.6g ns\nresident %.6g bytes\npage-tables %.6g bytes\nmemory %.6g bytes\nwake-join %.6g ns\n",
	       (double)made / (double)n, resident, tables, resident + tables, (double)woken / (double)n);
	return 0;
}

/* A case of scale is a number; 0: it is none. */
static size_t crowd_of(const char *name)
{
	char *end;
	unsigned long n = strtoul(name, &end, 10);

	return *end || n > 10000000 ? 0 : n;
}

/* A partner, while main does the operations; `wakes` is what lets it go on to find out that all is over. */
static double with_partner(void *(*body)(void *), void (*operations)(void), unsigned n, void (*wakes)(void))
{
	peer_thread partner = peer_spawn(body, NULL);
	double ns = time_each(operations, n);

	is_over = true;
	wakes();
	peer_join(partner);
	is_over = false;
	return ns;
}

static void wake_answers(void)
{
	peer_sem_post(&ping);
}

static void wake_turn(void)
{
	peer_lock_take(&turns.lock);
	turns.turn = 1;
	peer_cond_signal(&turns.is_ours[1]);
	peer_lock_drop(&turns.lock);
}

/* Ping-pong: see pingpong.c.  Players meet at semaphores; to have ended is to be joined. */
static struct game {
	peer_lock blocks[2][2];
	peer_thread players[2];
	uint64_t strokes;
} games[GAMES];

static struct { unsigned games, strokes; } tournament;

static void play(struct game *g, int me)
{
	peer_lock *ours = g->blocks[me], *theirs = g->blocks[!me];

	for (unsigned n = 0; n < tournament.strokes; n++) {
		peer_lock_take(&ours[n % 2]);
		if (g->strokes++ != 2 * (uint64_t)n + !me)
			exit(1);
		peer_lock_take(&theirs[(n + (unsigned)me) % 2]);
		peer_lock_drop(&ours[n % 2]);
		peer_lock_drop(&theirs[(n + (unsigned)me + 1) % 2]);
	}
}

static void *serve(void *arg)
{
	struct game *g = (struct game *)arg;

	peer_lock_take(&g->blocks[1][0]);
	peer_lock_take(&g->blocks[1][1]);
	peer_sem_post(&ping);
	peer_sem_wait(&pong);
	peer_lock_drop(&g->blocks[1][0]);
	play(g, 0);
	peer_lock_drop(&g->blocks[1][tournament.strokes % 2 ? 0 : 1]);	/* for the next tournament */
	return arg;
}

static void *receive(void *arg)
{
	struct game *g = (struct game *)arg;

	peer_lock_take(&g->blocks[0][0]);
	peer_sem_post(&ping);
	peer_sem_wait(&pong);
	play(g, 1);
	peer_lock_drop(&g->blocks[0][tournament.strokes % 2 ? 1 : 0]);
	return arg;
}

struct game_times { uint64_t start_ns, play_ns, cpu_ns; };

static struct game_times play_all(void)
{
	unsigned n = tournament.games;
	clock_t cpu = clock();
	uint64_t t_start = peer_now_ns();

	for (struct game *g = games; g < games + n; g++) {
		for (int i = 0; i < 4; i++)
			peer_lock_init(&g->blocks[i / 2][i % 2]);
		g->strokes = 0;
		g->players[0] = peer_spawn(serve, g);
		g->players[1] = peer_spawn(receive, g);
	}
	for (unsigned i = 0; i < 2 * n; i++)
		peer_sem_wait(&ping);
	uint64_t t_begin = peer_now_ns();

	for (unsigned i = 0; i < 2 * n; i++)
		peer_sem_post(&pong);
	for (struct game *g = games; g < games + n; g++) {
		peer_join(g->players[0]);
		peer_join(g->players[1]);
		if (g->strokes != 2 * (uint64_t)tournament.strokes)
			exit(1);
	}
	struct game_times t = { t_begin - t_start, peer_now_ns() - t_begin,
				(uint64_t)(clock() - cpu) * (1000000000u / CLOCKS_PER_SEC) };
	return t;
}

/* The tests without bound threads and locks that processes share, or false. */
static bool find_tournament(const char *name)
{
	if (!strcmp(name, "test-8") || !strcmp(name, "test-9")) {
		tournament.games = GAMES;
		tournament.strokes = 100;
		return !PEER_THREADS_MAX || PEER_THREADS_MAX >= 2 * GAMES;
	}
	if (!strcmp(name, "test-5") || !strcmp(name, "test-6"))
		tournament.games = 4;
	else if (!strcmp(name, "baseline") || !strcmp(name, "test-1") || !strcmp(name, "test-2") ||
		 !strcmp(name, "test-3"))
		tournament.games = 1;
	return tournament.games;
}

static void measure_games(void)
{
	bool is_scaled = !tournament.strokes;

	if (is_scaled) {
		tournament.strokes = TRIAL;
		double fit = TRIAL * (double)length_ns / (double)play_all().play_ns;

		tournament.strokes = fit > STROKES ? (unsigned)STROKES : fit < TRIAL ? (unsigned)TRIAL : (unsigned)fit;
	}
	struct game_times t = play_all();
	double scale = is_scaled ? 1e-6 * STROKES / tournament.strokes : 1e-6;

	if (!is_scaled)
		printf("start %.6g ms\n", (double)t.start_ns * scale);
	printf("play %.6g ms\ncpu %.6g ms\n", (double)t.play_ns * scale, (double)t.cpu_ns * scale);
}

#include "papers.h"

/* A server for so many connections, until it is ended. */
static int serve_connections(size_t n)
{
#if PEER_CONNECTIONS_MAX
	if (n && n <= PEER_CONNECTIONS_MAX) {
		raise_descriptor_limit();
		peer_echo(listen_loopback(0));
	}
	printf("note %zu connections are too many for it\n", n);
#endif
	(void)n;
	return SKIPPED;
}

static int measure(const char *name)
{
	if (!strcmp(name, "create-join"))
		put_ns("-", time_each(create_join, 16));
	else if (!strcmp(name, "batch"))
		put_ns("-", time_each(batch, BATCH));
	else if (!strcmp(name, "yield"))
		put_ns("-", with_partner(yields_until_over, yields, 2 * ROUNDS, yields));
	else if (!strcmp(name, "semaphore"))
		put_ns("-", with_partner(answers, semaphore_rounds, ROUNDS, wake_answers));
	else if (!strcmp(name, "condition"))
		put_ns("-", with_partner(takes_turns, condition_rounds, ROUNDS, wake_turn));
	else if (!strcmp(name, "lock"))
		put_ns("-", time_each(locks, 1024));
	else if (!strcmp(name, "ping-pong-1"))
		measure_matches(1);
	else if (!strcmp(name, "ping-pong-4"))
		measure_matches(MATCHES);
	else if (!strcmp(name, "contended"))
		measure_contended();
	else if (!strcmp(name, "spawn-tree"))
		return measure_tree(TREE_DEPTH);
	else if (!strcmp(name, "spawn-tree-20"))
		return measure_tree(TREE_DEPTH_QUICK);
	else if (PEER_HAS_ONLY_MICRO)
		return SKIPPED;
	else if (crowd_of(name))
		return measure_scale(crowd_of(name));
	else if (find_tournament(name))
		measure_games();
	else if (!strncmp(name, "echo/", 5))
		return serve_connections(crowd_of(name + 5));
	else
		return measure_papers(name);
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = argc == 4 ? atof(argv[2]) : 0;
	cpu_set_t cpus;

	if (!(seconds > 0)) {
		fprintf(stderr, "usage: %s CASE SECONDS NAME\n", argv[0]);
		return 2;
	}
	if (PEER_PROCESSORS == 1 && sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) > 1)
		return SKIPPED;
	length_ns = (uint64_t)(seconds * 1e9);
	began_ns = peer_now_ns();
	peer_start();
	peer_lock_init(&turns.lock);
	peer_cond_init(&turns.is_ours[0]);
	peer_cond_init(&turns.is_ours[1]);
	peer_sem_init(&ping);
	peer_sem_init(&pong);
	int status = measure(argv[1]);

	fflush(stdout);
	peer_end();
	return status;
}

#endif
