// SPDX-License-Identifier: BSD-2-Clause
// Cancellation points in cleanup handlers and destructors of a thread that is being cancelled do not
// end them.
#include "../harness.h"

static atomic_int calls;
static pthread_key_t key;

static void clean(void *arg UNUSED)
{
	pthread_testcancel();
	sleep_ms(1);
	pthread_testcancel();
	calls++;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(key, &key));
	pthread_cleanup_push(clean, NULL);
	CHECK_OK(pthread_cancel(pthread_self()));
	pthread_testcancel();
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&key, clean));
	CHECK(join(spawn(body, NULL)) == PTHREAD_CANCELED);
	CHECK_EQ(calls, 2);
}
