// SPDX-License-Identifier: BSD-2-Clause
// When a destructor is called its key's value is NULL already.
#include "../harness.h"

static atomic_int calls;
static pthread_key_t key;

static void destroy(void *arg)
{
	CHECK(arg == &key);
	CHECK(pthread_getspecific(key) == NULL);
	calls++;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(key, arg));
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&key, destroy));
	join(spawn(body, &key));
	CHECK_EQ(calls, 1);
}
