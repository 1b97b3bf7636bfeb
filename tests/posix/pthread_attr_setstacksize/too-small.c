// SPDX-License-Identifier: BSD-2-Clause
// A stack size below PTHREAD_STACK_MIN is refused with EINVAL; PTHREAD_STACK_MIN itself works.
#include "../harness.h"

static void *body(void *arg)
{
	return arg;
}

static char tag;

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_EQ(pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN - 1), EINVAL);
	CHECK_OK(pthread_attr_setstacksize(&a, (size_t)PTHREAD_STACK_MIN));
	CHECK_OK(pthread_create(&t, &a, body, &tag));
	CHECK(join(t) == &tag);
}
