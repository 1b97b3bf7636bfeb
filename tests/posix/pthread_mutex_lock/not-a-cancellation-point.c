// SPDX-License-Identifier: BSD-2-Clause
// A thread that waits for a mutex is not cancelled before it has it.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool waits, had;

static void *body(void *arg)
{
	waits = true;
	CHECK_OK(pthread_mutex_lock(&m));
	had = true;
	CHECK_OK(pthread_mutex_unlock(&m));
	pthread_testcancel();
	CHECK(false);
	return arg;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pthread_mutex_lock(&m));
	t = spawn(body, NULL);
	WAIT_FOR(waits);
	settle();
	CHECK_OK(pthread_cancel(t));
	settle();
	CHECK(!had);
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(had);
}
