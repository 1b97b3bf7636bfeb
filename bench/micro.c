// SPDX-License-Identifier: BSD-2-Clause
/*
 * What one operation on threads costs:
 *
 *   create-join     a thread is made and joined, one at a time
 *   batch           1,000 are made, then 1,000 joined
 *   yield           two threads call sched_yield in turn; per call
 *   semaphore       two threads post to each other; per round trip
 *   condition       two threads take turns under one mutex, a condition each; per round trip
 *   pipe            two threads pass a byte to and fro by two pipes; per round trip
 *   ping-pong-N     N games of two players, each with a letter box of its own (mutex, condition,
 *                   flag); per round trip, all games counted
 *   lock            lock and unlock, nobody else wants it
 *   contended       64 threads with a short section and 100 ns of work outside: operations per
 *                   second, and what the thread that got least got, as a share of the mean
 *
 * A round trip is two switches.  Two-thread cases end when the first thread, which looks at the
 * clock after some rounds, tells the other.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bars.h"
#include "bench.h"
#include "spin.h"

enum { BATCH = 1000, CONTENDERS = 64, GAMES_MAX = 64, LINE = 64 };

static uint64_t length_ns;
static atomic_bool is_over;

static bool is_time_over(void)
{
	return atomic_load_explicit(&is_over, memory_order_relaxed);
}

static pthread_t start(void *(*body)(void *), void *argument)
{
	pthread_t thread;

	must("pthread_create", pthread_create(&thread, NULL, body, argument));
	return thread;
}

static void join(pthread_t thread)
{
	must("pthread_join", pthread_join(thread, NULL));
}

static void *nothing(void *argument)
{
	return argument;
}

static double time_each(void (*operations)(void), unsigned n)
{
	return mean_time_of(operations, n, length_ns);
}

static void create_join(void)
{
	for (int i = 0; i < 16; i++)
		join(start(nothing, NULL));
}

static void measure_create_join(void)
{
	create_join();
	put("-", time_each(create_join, 16), "ns");
}

static void batch(void)
{
	static pthread_t threads[BATCH];

	for (int i = 0; i < BATCH; i++)
		threads[i] = start(nothing, NULL);
	for (int i = 0; i < BATCH; i++)
		join(threads[i]);
}

static void measure_batch(void)
{
	batch();
	put("-", time_each(batch, BATCH), "ns");
}

static void *yield_until_over(void *argument)
{
	uint64_t *count = argument, n = 0;

	for (; !is_time_over(); n++)
		sched_yield();
	*count = n;
	return NULL;
}

static void measure_yield(void)
{
	uint64_t mine = 0, its, t_start = now_ns(), elapsed;
	pthread_t other = start(yield_until_over, &its);

	do {
		for (int i = 0; i < 256; i++)
			sched_yield();
		mine += 256;
		elapsed = now_ns() - t_start;
	} while (elapsed < length_ns);
	atomic_store(&is_over, true);
	join(other);
	put("-", (double)elapsed / (double)(mine + its), "ns");
}

static sem_t ping, pong;

static void *answer_semaphore(void *argument)
{
	for (;;) {
		sem_wait(&ping);
		if (is_time_over())
			return argument;
		sem_post(&pong);
	}
}

static void semaphore_rounds(void)
{
	for (int i = 0; i < 64; i++) {
		sem_post(&ping);
		sem_wait(&pong);
	}
}

static void measure_semaphore(void)
{
	pthread_t other = start(answer_semaphore, NULL);

	semaphore_rounds();
	put("-", time_each(semaphore_rounds, 64), "ns");
	atomic_store(&is_over, true);
	sem_post(&ping);
	join(other);
}

/* `turn` says whose it is, 0 or 1; each waits on its own condition. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t is_ours[2];
	int turn;
} turns = { PTHREAD_MUTEX_INITIALIZER, { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER }, 0 };

static void take_turn(int me)
{
	pthread_mutex_lock(&turns.lock);
	while (turns.turn != me)
		pthread_cond_wait(&turns.is_ours[me], &turns.lock);
	turns.turn = !me;
	pthread_cond_signal(&turns.is_ours[!me]);
	pthread_mutex_unlock(&turns.lock);
}

static void *answer_condition(void *argument)
{
	while (!is_time_over())
		take_turn(1);
	return argument;
}

static void condition_rounds(void)
{
	for (int i = 0; i < 64; i++)
		take_turn(0);
}

static void measure_condition(void)
{
	pthread_t other = start(answer_condition, NULL);

	condition_rounds();
	put("-", time_each(condition_rounds, 64), "ns");
	atomic_store(&is_over, true);
	pthread_mutex_lock(&turns.lock);
	turns.turn = 1;		/* the last one is for it, wherever it is */
	pthread_cond_signal(&turns.is_ours[1]);
	pthread_mutex_unlock(&turns.lock);
	join(other);
}

static int there[2], back[2];

static void pass_byte(int from, int to)
{
	char byte = 0;

	if ((from >= 0 && read(from, &byte, 1) != 1) || (to >= 0 && write(to, &byte, 1) != 1))
		die("a pipe");
}

static void *answer_pipe(void *argument)
{
	while (!is_time_over())
		pass_byte(there[0], back[1]);
	return argument;
}

static void pipe_rounds(void)
{
	for (int i = 0; i < 64; i++) {
		pass_byte(-1, there[1]);
		pass_byte(back[0], -1);
	}
}

static void measure_pipe(void)
{
	if (pipe(there) || pipe(back))
		die("pipe");
	pthread_t other = start(answer_pipe, NULL);

	pipe_rounds();
	put("-", time_each(pipe_rounds, 64), "ns");
	atomic_store(&is_over, true);
	pass_byte(-1, there[1]);
	join(other);
}

struct box {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	bool is_filled;
} __attribute__((aligned(2 * LINE)));

struct game {
	struct box boxes[2];
	uint64_t rounds;
};

static struct game games[GAMES_MAX];

static void throw_to(struct box *b)
{
	pthread_mutex_lock(&b->lock);
	b->is_filled = true;
	pthread_cond_signal(&b->filled);
	pthread_mutex_unlock(&b->lock);
}

static void catch_from(struct box *b)
{
	pthread_mutex_lock(&b->lock);
	while (!b->is_filled)
		pthread_cond_wait(&b->filled, &b->lock);
	b->is_filled = false;
	pthread_mutex_unlock(&b->lock);
}

static void *serve(void *argument)
{
	struct game *g = argument;

	while (!is_time_over()) {
		throw_to(&g->boxes[1]);
		catch_from(&g->boxes[0]);
		g->rounds++;
	}
	throw_to(&g->boxes[1]);
	return NULL;
}

static void *return_ball(void *argument)
{
	struct game *g = argument;

	for (;;) {
		catch_from(&g->boxes[1]);
		if (is_time_over())
			break;
		throw_to(&g->boxes[0]);
	}
	throw_to(&g->boxes[0]);
	return NULL;
}

/* Main sleeps for the time of the measurement, and returns how long that was. */
static uint64_t sleep_until_over(uint64_t t_start)
{
	struct timespec t = { (time_t)(length_ns / 1000000000u), (long)(length_ns % 1000000000u) };

	nanosleep(&t, NULL);
	atomic_store(&is_over, true);
	return now_ns() - t_start;
}

static void measure_games(int n)
{
	pthread_t players[GAMES_MAX][2];
	uint64_t t_start = now_ns(), elapsed, rounds = 0;

	for (int i = 0; i < n; i++) {
		for (int side = 0; side < 2; side++) {
			pthread_mutex_init(&games[i].boxes[side].lock, NULL);
			pthread_cond_init(&games[i].boxes[side].filled, NULL);
		}
		players[i][0] = start(serve, &games[i]);
		players[i][1] = start(return_ball, &games[i]);
	}
	elapsed = sleep_until_over(t_start);
	for (int i = 0; i < n; i++) {
		join(players[i][0]);
		join(players[i][1]);
		rounds += games[i].rounds;
	}
	put("-", (double)elapsed / (double)(rounds ? rounds : 1), "ns");
}

static void locks(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < 1024; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
}

/* A second thread is there, asleep: a libc may do without locked instructions for a lone one. */
static void measure_lock(void)
{
	pthread_t other = start(answer_semaphore, NULL);

	locks();
	put("-", time_each(locks, 1024), "ns");
	atomic_store(&is_over, true);
	sem_post(&ping);
	join(other);
}

static struct {
	pthread_mutex_t lock;
	uint64_t guarded[4];
	pthread_barrier_t gate;
	unsigned spins;			/* that take 100 ns */
	struct {
		uint64_t operations;
	} __attribute__((aligned(2 * LINE))) by[CONTENDERS];
} contest = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *contend(void *argument)
{
	uint64_t *operations = argument, n = 0;

	pthread_barrier_wait(&contest.gate);
	for (; !is_time_over(); n++) {
		pthread_mutex_lock(&contest.lock);
		for (int i = 0; i < 4; i++)
			contest.guarded[i]++;
		pthread_mutex_unlock(&contest.lock);
		spin(contest.spins);
	}
	*operations = n;
	return NULL;
}

static void measure_contended(void)
{
	pthread_t threads[CONTENDERS];
	uint64_t elapsed, sum = 0, least = UINT64_MAX;

	if (length_ns < 1000000000u)
		length_ns = 1000000000u;	/* fairness is judged over a second */
	contest.spins = spins_in_100_ns(now_ns);
	pthread_barrier_init(&contest.gate, NULL, CONTENDERS + 1);
	for (int i = 0; i < CONTENDERS; i++)
		threads[i] = start(contend, &contest.by[i].operations);
	pthread_barrier_wait(&contest.gate);
	elapsed = sleep_until_over(now_ns());
	for (int i = 0; i < CONTENDERS; i++) {
		uint64_t *n = &contest.by[i].operations;

		join(threads[i]);
		sum += *n;
		least = *n < least ? *n : least;
	}
	if (contest.guarded[0] != sum)
		die("the lock let two threads in: %llu instead of %llu",
		    (unsigned long long)contest.guarded[0], (unsigned long long)sum);
	put("-", (double)sum * 1e3 / (double)elapsed, "Mop/s");
	put("least", (double)least * CONTENDERS / (double)(sum ? sum : 1), "of-mean");
}

static void measure_ping_pong_1(void)
{
	measure_games(1);
}

static void measure_ping_pong_4(void)
{
	measure_games(4);
}

static const struct {
	const char *name;
	void (*measure)(void);
} cases[] = {
	{ "create-join", measure_create_join },
	{ "batch", measure_batch },
	{ "yield", measure_yield },
	{ "semaphore", measure_semaphore },
	{ "condition", measure_condition },
	{ "pipe", measure_pipe },
	{ "ping-pong-1", measure_ping_pong_1 },
	{ "ping-pong-4", measure_ping_pong_4 },
	{ "lock", measure_lock },
	{ "contended", measure_contended },
};

/* For pthreads on Upcall; bench/peers/native.c has those of its own interface.  Times are those of one machine. */
static const struct bar bars[] = {
	{ "create-join", ON_ONE_CPU, "-", "ns", 150, "at-most", NULL },
	{ "create-join", ON_ONE_CPU, "-", "ns", 0.01, "at-most", "glibc" },
	{ "batch", ON_ONE_CPU, "-", "ns", 200, "at-most", NULL },
	{ "yield", ON_ONE_CPU, "-", "ns", 30, "at-most", NULL },
	{ "semaphore", ON_ONE_CPU, "-", "ns", 75, "at-most", NULL },
	{ "condition", ON_ONE_CPU, "-", "ns", 85, "at-most", NULL },
	{ "ping-pong-1", ON_ONE_CPU, "-", "ns", 75, "at-most", NULL },
	{ "ping-pong-4", ON_SEVERAL_CPUS, "-", "ns", 75, "at-most", NULL },
	{ "lock", ON_ONE_CPU, "-", "ns", 1, "at-most", "glibc" },
	{ "contended", ON_SEVERAL_CPUS, "-", "Mop/s", 1.5, "at-least", "glibc" },
	{ "contended", ANYWHERE, "least", "of-mean", 0.25, "at-least", NULL },
};

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);
	enum bar_place here = bar_place_here();

	length_ns = args.length_ns;
	sem_init(&ping, 0, 0);
	sem_init(&pong, 0, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!strcmp(args.name, cases[i].name)) {
			cases[i].measure();
			if (!strcmp(args.system, "upcall"))
				put_bars(bars, sizeof(bars) / sizeof(bars[0]), args.name, here);
			return 0;
		}
	}
	die("no case '%s'", args.name);
}
