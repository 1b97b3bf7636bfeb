// SPDX-License-Identifier: BSD-2-Clause
// A destructor that sets its key again and again is called PTHREAD_DESTRUCTOR_ITERATIONS times, and
// the thread ends nevertheless.
#include "../harness.h"

static atomic_int calls;
static pthread_key_t key;

static void destroy(void *arg)
{
	calls++;
	CHECK_OK(pthread_setspecific(key, arg));
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(key, arg));
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&key, destroy));
	CHECK(join(spawn(body, &key)) == &key);
	CHECK_EQ(calls, PTHREAD_DESTRUCTOR_ITERATIONS);
}
