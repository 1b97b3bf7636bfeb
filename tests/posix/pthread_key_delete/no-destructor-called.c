// SPDX-License-Identifier: BSD-2-Clause
// pthread_key_delete calls no destructors, and none is called at thread exit afterwards.
#include "../harness.h"

static pthread_key_t key;
static int calls;

static void destroy(void *p UNUSED)
{
	calls++;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(key, arg));
	CHECK_OK(pthread_key_delete(key));
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&key, destroy));
	join(spawn(body, &key));
	CHECK_EQ(calls, 0);
	CHECK_EQ(pthread_key_delete(key), EINVAL);
	CHECK_EQ(pthread_setspecific(key, &key), EINVAL);
}
