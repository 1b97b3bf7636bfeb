// SPDX-License-Identifier: BSD-2-Clause
// A condition's wait drops a recursive mutex that is held twice, and gives it back held twice.
#include "check.h"

static struct upcall_mutex mutex;
static struct upcall_cond cond;
static int turn;

static void *waits(void *arg)
{
	CHECK_OK(upcall_mutex_lock(&mutex));
	CHECK_OK(upcall_mutex_lock(&mutex));
	turn = 1;
	while (turn != 2)
		CHECK_OK(upcall_cond_wait(&cond, &mutex));
	CHECK_OK(upcall_mutex_unlock(&mutex));
	CHECK_OK(upcall_mutex_unlock(&mutex));
	return arg;
}

int main(void)
{
	upcall_t t;
	int seen = 0;

	CHECK_OK(upcall_mutex_init(&mutex, UPCALL_MUTEX_RECURSIVE));
	CHECK_OK(upcall_create(&t, NULL, waits, NULL));
	while (!seen) {
		CHECK_OK(upcall_mutex_lock(&mutex));
		seen = turn;
		if (seen) {
			turn = 2;
			upcall_cond_signal(&cond);
		}
		CHECK_OK(upcall_mutex_unlock(&mutex));
		upcall_yield();
	}
	CHECK_OK(upcall_join(t, NULL));
	CHECK_OK(upcall_mutex_lock(&mutex));
	CHECK_OK(upcall_mutex_unlock(&mutex));
	return 0;
}
