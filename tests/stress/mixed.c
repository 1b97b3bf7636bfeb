// SPDX-License-Identifier: BSD-2-Clause
// A bit of everything at once, by seed: each thread picks locks, waits, descriptors, threads and
// signals at random and checks what it did.
#include "stress.h"

#define N 16
#define ROUNDS 3000

static pthread_mutex_t lock[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				   PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };
static volatile long counter[3];
static atomic_long want[3];
static __thread long own;
static atomic_int handled;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *leaf(void *arg)
{
	return (char *)arg + own + 1;
}

static void locks(uint64_t *r)
{
	int k = (int)pick(r, 3);

	CHECK_OK(pthread_mutex_lock(&lock[k]));
	counter[k] = counter[k] + 1;
	if (pick(r, 16) == 0)
		dawdle(r);
	want[k]++;
	CHECK_OK(pthread_mutex_unlock(&lock[k]));
}

static void threads(uint64_t *r)
{
	intptr_t x = (intptr_t)pick(r, 1000);

	CHECK_EQ((intptr_t)join(spawn(leaf, (void *)x)), x + 1);
}

static void pipes(uint64_t *r)
{
	uint64_t out = *r, in = 0;
	int p[2];

	CHECK_OK(pipe(p));
	CHECK_EQ(write(p[1], &out, sizeof out), (ssize_t)sizeof out);
	dawdle(r);
	CHECK_EQ(read(p[0], &in, sizeof in), (ssize_t)sizeof in);
	CHECK_EQ(in, out);
	CHECK_OK(close(p[0]));
	CHECK_OK(close(p[1]));
}

static void signals(uint64_t *r UNUSED)
{
	CHECK_OK(raise(SIGUSR1));
}

static void memory(uint64_t *r)
{
	size_t n = 16 + pick(r, 20000);
	char *p = malloc(n);

	memset(p, 'm', n);
	sched_yield();
	CHECK(p[0] == 'm' && p[n - 1] == 'm');
	free(p);
}

static void (*const acts[])(uint64_t *) = { locks, threads, pipes, signals, memory, dawdle };

static void *body(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	for (int i = 0; i < ROUNDS; i++) {
		own = (long)(intptr_t)arg * ROUNDS + i;
		acts[pick(&r, 6)](&r);
		CHECK_EQ(own, (long)(intptr_t)arg * ROUNDS + i);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[N];

	stress_seed(argc, argv);
	on_signal(SIGUSR1, handler, SA_RESTART);
	spawn_many(t, N, body);
	join_many(t, N);
	for (int k = 0; k < 3; k++)
		CHECK_EQ(counter[k], want[k]);
	CHECK(handled > 0);
}
