// SPDX-License-Identifier: BSD-2-Clause
/*
 * Cancellation points, each tested in the same two ways: the request arrives while the thread waits
 * in the call, and the request is pending when the thread enters it.  In both the call must not
 * return, the cleanup handler must run, and the joiner must see PTHREAD_CANCELED.
 */
#ifndef CANCEL_H
#define CANCEL_H

#include "harness.h"

struct victim {
	void (*call)(void *);
	void *arg;
	bool wait_for_request;
	atomic_bool entered, requested, returned, cleaned;
};

static void victim_clean(void *p)
{
	((struct victim *)p)->cleaned = true;
}

static void *victim_main(void *p)
{
	struct victim *v = p;

	pthread_cleanup_push(victim_clean, v);
	if (v->wait_for_request) {
		CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
		v->entered = true;
		WAIT_FOR(v->requested);
		CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
	} else {
		v->entered = true;
	}
	v->call(v->arg);
	v->returned = true;
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel_one(void (*call)(void *), void *arg, bool pending)
{
	struct victim v = { .call = call, .arg = arg, .wait_for_request = pending };
	pthread_t t = spawn(victim_main, &v);

	WAIT_FOR(v.entered);
	if (!pending)
		settle();
	CHECK_OK(pthread_cancel(t));
	v.requested = true;
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(v.cleaned);
	CHECK(!v.returned);
}

static inline void check_cancels(void (*call)(void *), void *arg)
{
	cancel_one(call, arg, false);
	cancel_one(call, arg, true);
}

/* For calls that need not wait: only a pending request can be tested. */
static inline void check_cancels_pending(void (*call)(void *), void *arg)
{
	cancel_one(call, arg, true);
}

#endif
