// SPDX-License-Identifier: BSD-2-Clause
// A destructor may call pthread_exit; the thread still ends and can be joined.
#include "../harness.h"

static pthread_key_t key;
static int calls;

static void destroy(void *p UNUSED)
{
	calls++;
	pthread_exit(&key);
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(key, arg));
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&key, destroy));
	join(spawn(body, &key));
	CHECK_EQ(calls, 1);
}
