// SPDX-License-Identifier: BSD-2-Clause
// A destructor may delete its own key.
#include "../harness.h"

static atomic_int calls;
static pthread_key_t key;

static void destroy(void *arg UNUSED)
{
	calls++;
	CHECK_OK(pthread_key_delete(key));
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
	CHECK_EQ(pthread_key_delete(key), EINVAL);
}
