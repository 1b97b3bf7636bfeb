// SPDX-License-Identifier: BSD-2-Clause
// A destructor that sets its value again is called again, PTHREAD_DESTRUCTOR_ITERATIONS times in
// all.
#include "../harness.h"

static pthread_key_t key;
static int calls;

static void destroy(void *p)
{
	calls++;
	CHECK_OK(pthread_setspecific(key, p));
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
	CHECK_EQ(calls, PTHREAD_DESTRUCTOR_ITERATIONS);
}
