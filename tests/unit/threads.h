// SPDX-License-Identifier: BSD-2-Clause
/*
 * For unit tests of what threads do: checks, and the system's own threads, which the runtime adopts
 * as BOUND when they first call it.  (harness.h cannot be included beside base/clock.h.)
 */
#ifndef UNIT_THREADS_H
#define UNIT_THREADS_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "sync/lot.h"

#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			dprintf(2, "%s:%d: failed: %s\n", __FILE__, __LINE__, #cond); \
			_exit(1); \
		} \
	} while (0)

#define WAIT_FOR(cond) \
	do { \
		uint64_t end_ = now_ns() + 10 * NS_PER_S; \
		while (!(cond)) { \
			CHECK(now_ns() < end_ && #cond); \
			usleep(500); \
		} \
	} while (0)

/* Whoever calls the runtime first is taken for main. */
__attribute__((constructor)) static void main_is_first(void)
{
	thread_self();
}

static inline pthread_t spawn(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	CHECK(pthread_create(&t, NULL, fn, arg) == 0);
	return t;
}

static inline void *join(pthread_t t)
{
	void *ret;

	CHECK(pthread_join(t, &ret) == 0);
	return ret;
}

/* How many threads are queued on key. */
static inline int queued(const void *key)
{
	struct thread *me = rt_enter();
	struct bucket *b = lot_lock(key);
	int n = 0;

	if (b->waiters)
		for (struct list *at = b->queue.next; at != &b->queue; at = at->next)
			n += load_relaxed(&container_of(at, struct thread, wait_link)->wait_key) ==
			     (uintptr_t)key;
	lot_unlock(b);
	rt_leave(me);
	return n;
}

static inline uint64_t in_ms(uint64_t ms)
{
	return now_ns() + ms * NS_PER_MS;
}

#endif
