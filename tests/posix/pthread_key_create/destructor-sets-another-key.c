// SPDX-License-Identifier: BSD-2-Clause
// A value that a destructor stores under another key is destroyed too.
#include "../harness.h"

static pthread_key_t a, b;
static int a_calls, b_calls;

static void destroy_a(void *p)
{
	if (++a_calls == 1)
		CHECK_OK(pthread_setspecific(b, p));
}

static void destroy_b(void *p)
{
	if (++b_calls == 1)
		CHECK_OK(pthread_setspecific(a, p));
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(a, arg));
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&a, destroy_a));
	CHECK_OK(pthread_key_create(&b, destroy_b));
	join(spawn(body, &a));
	CHECK_EQ(a_calls, 2);
	CHECK_EQ(b_calls, 1);
}
