// SPDX-License-Identifier: BSD-2-Clause
// A normal mutex relocked by its owner deadlocks, and the process lives on: others run.
#include "../harness.h"

static pthread_mutex_t lock;
static atomic_bool locked, passed;

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	locked = true;
	pthread_mutex_lock(&lock);
	passed = true;
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_NORMAL));
	CHECK_OK(pthread_mutex_init(&lock, &a));
	spawn(body, NULL);
	WAIT_FOR(locked);
	sleep_ms(50);
	CHECK(!passed);
}
