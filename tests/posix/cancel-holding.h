// SPDX-License-Identifier: BSD-2-Clause
/*
 * For cancellation in whatever state a thread is in: the cleanup handlers run, of which one gives up a mutex that the
 * thread held, and that is free then.
 */
#ifndef CANCEL_HOLDING_H
#define CANCEL_HOLDING_H

#include "harness.h"

struct holder {
	void (*call)(void *);
	void *arg;
	pthread_t thread;
	pthread_mutex_t lock;
	atomic_bool entered, returned, cleaned;
};

static void holder_clean(void *p)
{
	struct holder *h = p;

	h->cleaned = true;
	CHECK_OK(pthread_mutex_unlock(&h->lock));
}

static void *holder_main(void *p)
{
	struct holder *h = p;

	CHECK_OK(pthread_mutex_lock(&h->lock));
	pthread_cleanup_push(holder_clean, h);
	h->entered = true;
	h->call(h->arg);
	h->returned = true;
	pthread_testcancel();
	pthread_cleanup_pop(0);
	return NULL;
}

/* It is in the call, or about to be; the caller says nothing else of *h. */
static inline void holder_begin(struct holder *h, void (*call)(void *), void *arg)
{
	memset(h, 0, sizeof(*h));
	h->call = call;
	h->arg = arg;
	CHECK_OK(pthread_mutex_init(&h->lock, NULL));
	h->thread = spawn(holder_main, h);
	WAIT_FOR(h->entered);
}

/* It was cancelled. */
static inline void holder_end(struct holder *h)
{
	CHECK(join(h->thread) == PTHREAD_CANCELED);
	CHECK(h->cleaned);
	CHECK_OK(pthread_mutex_trylock(&h->lock));
	CHECK_OK(pthread_mutex_unlock(&h->lock));
	CHECK_OK(pthread_mutex_destroy(&h->lock));
}

#endif
