// SPDX-License-Identifier: BSD-2-Clause
// At thread exit the destructor is called with the value, after the key's value was set to NULL;
// not for NULL values.
#include "../harness.h"

static pthread_key_t key, empty;
static void *got;
static int calls, empty_calls;

static void destroy(void *p)
{
	CHECK(pthread_getspecific(key) == NULL);
	got = p;
	calls++;
}

static void destroy_empty(void *p UNUSED)
{
	empty_calls++;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(key, arg));
	CHECK_OK(pthread_setspecific(empty, arg));
	CHECK_OK(pthread_setspecific(empty, NULL));
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&key, destroy));
	CHECK_OK(pthread_key_create(&empty, destroy_empty));
	join(spawn(body, &calls));
	CHECK(got == &calls);
	CHECK_EQ(calls, 1);
	CHECK_EQ(empty_calls, 0);
}
