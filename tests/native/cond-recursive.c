// SPDX-License-Identifier: BSD-2-Clause
// A condition's wait drops a recursive mutex that is held twice, and gives it back held twice.
#include "check.h"

static struct upcall_mutex mutex;
static struct upcall_cond cond;
static int turn;

static void *waits(void *arg)
{
	CHECK_IS(upcall_mutex_lock(&mutex), 0);
	CHECK_IS(upcall_mutex_lock(&mutex), 0);
	turn = 1;
	while (turn != 2)
		CHECK_IS(upcall_cond_wait(&cond, &mutex), 0);
	CHECK_IS(upcall_mutex_unlock(&mutex), 0);
	CHECK_IS(upcall_mutex_unlock(&mutex), 0);
	return arg;
}

static void test(void)
{
	upcall_t t;
	int seen = 0;

	CHECK_IS(upcall_mutex_init(&mutex, UPCALL_MUTEX_RECURSIVE), 0);
	CHECK_IS(upcall_create(&t, NULL, waits, NULL), 0);
	while (!seen) {
		CHECK_IS(upcall_mutex_lock(&mutex), 0);
		seen = turn;
		if (seen) {
			turn = 2;
			upcall_cond_signal(&cond);
		}
		CHECK_IS(upcall_mutex_unlock(&mutex), 0);
		upcall_yield();
	}
	CHECK_IS(upcall_join(t, NULL), 0);
	CHECK_IS(upcall_mutex_lock(&mutex), 0);
	CHECK_IS(upcall_mutex_unlock(&mutex), 0);
}
