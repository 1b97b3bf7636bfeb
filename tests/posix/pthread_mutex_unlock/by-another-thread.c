// SPDX-License-Identifier: BSD-2-Clause
// glibc lets another thread unlock a normal mutex; whoever waits for it then gets it.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool got;

static void *waiter(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	got = true;
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

static void *unlocker(void *arg)
{
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pthread_mutex_lock(&m));
	t = spawn(waiter, NULL);
	settle();
	CHECK(!got);
	join(spawn(unlocker, NULL));
	join(t);
	CHECK(got);
}
