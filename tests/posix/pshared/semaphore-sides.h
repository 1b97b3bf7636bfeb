// SPDX-License-Identifier: BSD-2-Clause
/* What threads of a program and of its partner (partner.h) do with a semaphore that both have. */
#ifndef SEMAPHORE_SIDES_H
#define SEMAPHORE_SIDES_H

#include "partner.h"

enum { SIDE_THREADS = 4, SIDE_POSTS = 200 };

struct sides {
	atomic_int met, waiting, taken;
};

static struct sides *sides;
static sem_t *sides_sem;

static void *sides_wait(void *arg)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 5), limit = in_ms(CLOCK_REALTIME, WATCHDOG_SECONDS * 1000);

	CHECK_ERRNO(sem_trywait(sides_sem), EAGAIN);
	CHECK_ERRNO(sem_timedwait(sides_sem, &soon), ETIMEDOUT);
	atomic_fetch_add(&sides->waiting, 1);
	CHECK_OK((intptr_t)arg % 2 ? sem_wait(sides_sem) : sem_timedwait(sides_sem, &limit));
	atomic_fetch_add(&sides->taken, 1);
	return arg;
}

/* For all that the other side's threads wait for; each post lets one go on. */
static void *sides_post(void *arg)
{
	WAIT_FOR(atomic_load(&sides->waiting) == SIDE_THREADS);
	settle();
	CHECK_EQ(atomic_load(&sides->taken), 0);
	for (int i = 1; i <= SIDE_THREADS; i++) {
		CHECK_OK(sem_post(sides_sem));
		WAIT_FOR(atomic_load(&sides->taken) == i);
	}
	atomic_store(&sides->waiting, 0);
	atomic_store(&sides->taken, 0);
	return arg;
}

/* Waits that end just when posts come: none of these is lost, and none counts twice. */
static void *sides_take(void *arg)
{
	uint64_t wait_ns = 20000 + 60000 * (uint64_t)(uintptr_t)arg;

	while (atomic_load(&sides->taken) < 2 * SIDE_POSTS) {
		uint64_t at = now_on(CLOCK_REALTIME) + wait_ns;
		struct timespec limit = { (time_t)(at / 1000000000), (long)(at % 1000000000) };

		if (sem_timedwait(sides_sem, &limit) == 0)
			atomic_fetch_add(&sides->taken, 1);
		else
			CHECK_EQ(errno, ETIMEDOUT);
	}
	return NULL;
}

static void sides_meet(sem_t *sem, struct sides *both, int side)
{
	pthread_t t[SIDE_THREADS];
	int left;

	sides = both;
	sides_sem = sem;
	for (int turn = 0; turn < 2; turn++) {
		if (turn == side) {
			spawn_many(t, SIDE_THREADS, sides_wait);
			join_many(t, SIDE_THREADS);
		} else {
			join(spawn(sides_post, NULL));
		}
		meet(&sides->met, turn + 1);
	}
	spawn_many(t, SIDE_THREADS, sides_take);
	for (int i = 0; i < SIDE_POSTS; i++) {
		CHECK_OK(sem_post(sides_sem));
		if (i % 16 == 0)
			sched_yield();
		if (i % 64 == 0)
			sleep_ms(1);
	}
	join_many(t, SIDE_THREADS);
	meet(&sides->met, 3);
	CHECK_EQ(atomic_load(&sides->taken), 2 * SIDE_POSTS);
	CHECK_OK(sem_getvalue(sides_sem, &left));
	CHECK_EQ(left, 0);
}

#endif
