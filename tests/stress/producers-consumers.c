// SPDX-License-Identifier: BSD-2-Clause
// Producers and consumers over a bounded queue of a mutex and two conditions: every item is taken
// exactly once, by whatever order of sleeps and yields the seed gives.
#include "stress.h"

#define SIDE 8
#define SLOTS 5
#define ITEMS 6000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int queue[SLOTS], head, fill, inside;
static unsigned char taken[SIDE * ITEMS];

static void enter(void)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_EQ(inside++, 0);
}

static void leave(void)
{
	CHECK_EQ(--inside, 0);
	CHECK_OK(pthread_mutex_unlock(&lock));
}

static void wait_on(pthread_cond_t *c)
{
	inside--;
	CHECK_OK(pthread_cond_wait(c, &lock));
	CHECK_EQ(inside++, 0);
}

static void *producer(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	for (int i = 0; i < ITEMS; i++) {
		enter();
		while (fill == SLOTS)
			wait_on(&not_full);
		queue[(head + fill++) % SLOTS] = (int)(intptr_t)arg * ITEMS + i;
		pthread_cond_signal(&not_empty);
		leave();
		dawdle(&r);
	}
	return NULL;
}

static void *consumer(void *arg)
{
	uint64_t r = seed_for(100 + (int)(intptr_t)arg);

	for (int i = 0; i < ITEMS; i++) {
		enter();
		while (fill == 0)
			wait_on(&not_empty);
		taken[queue[head]]++;
		head = (head + 1) % SLOTS;
		fill--;
		pthread_cond_signal(&not_full);
		leave();
		dawdle(&r);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t p[SIDE], c[SIDE];

	stress_seed(argc, argv);
	spawn_many(p, SIDE, producer);
	spawn_many(c, SIDE, consumer);
	join_many(p, SIDE);
	join_many(c, SIDE);
	for (int i = 0; i < SIDE * ITEMS; i++)
		CHECK_EQ(taken[i], 1);
}
