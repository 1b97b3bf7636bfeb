// SPDX-License-Identifier: BSD-2-Clause
// A destructor is not called for a value that is NULL at the end.
#include "../harness.h"

static atomic_int calls;
static pthread_key_t key;

static void destroy(void *arg UNUSED)
{
	calls++;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(key, arg));
	CHECK_OK(pthread_setspecific(key, NULL));
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&key, destroy));
	join(spawn(body, &key));
	CHECK_EQ(calls, 0);
}
