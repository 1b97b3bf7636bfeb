// SPDX-License-Identifier: BSD-2-Clause
// The stack size is kept as it was set; the default is not below PTHREAD_STACK_MIN.
#include "../harness.h"

int main(void)
{
	pthread_attr_t a;
	size_t n = 0;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_getstacksize(&a, &n));
	CHECK(n >= (size_t)PTHREAD_STACK_MIN);
	CHECK_OK(pthread_attr_setstacksize(&a, 1234567));
	CHECK_OK(pthread_attr_getstacksize(&a, &n));
	CHECK_EQ(n, 1234567);
	CHECK_OK(pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN));
}
