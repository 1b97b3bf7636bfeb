// SPDX-License-Identifier: BSD-2-Clause
// A scope that does not exist is EINVAL; system scope is always to be had.
#include "../harness.h"

int main(void)
{
	pthread_attr_t a;
	int v = -1;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_EQ(pthread_attr_setscope(&a, 77), EINVAL);
	CHECK_OK(pthread_attr_setscope(&a, PTHREAD_SCOPE_SYSTEM));
	CHECK_OK(pthread_attr_getscope(&a, &v));
	CHECK_EQ(v, PTHREAD_SCOPE_SYSTEM);
}
