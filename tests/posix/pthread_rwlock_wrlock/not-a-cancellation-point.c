// SPDX-License-Identifier: BSD-2-Clause
// A thread that waits for the lock is not cancelled before it has it.
#include "../harness.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static atomic_bool waits, had;

static void *body(void *arg)
{
	waits = true;
	CHECK_OK(pthread_rwlock_wrlock(&l));
	had = true;
	CHECK_OK(pthread_rwlock_unlock(&l));
	pthread_testcancel();
	return arg;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pthread_rwlock_rdlock(&l));
	t = spawn(body, NULL);
	WAIT_FOR(waits);
	settle();
	CHECK_OK(pthread_cancel(t));
	settle();
	CHECK_OK(pthread_rwlock_unlock(&l));
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(had);
}
