// SPDX-License-Identifier: BSD-2-Clause
// The two detach states are kept, joinable is the default, others are EINVAL.
#include "../harness.h"

int main(void)
{
	pthread_attr_t a;
	int v = -1;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_getdetachstate(&a, &v));
	CHECK_EQ(v, PTHREAD_CREATE_JOINABLE);
	CHECK_OK(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
	CHECK_OK(pthread_attr_getdetachstate(&a, &v));
	CHECK_EQ(v, PTHREAD_CREATE_DETACHED);
	CHECK_EQ(pthread_attr_setdetachstate(&a, 12345), EINVAL);
	CHECK_OK(pthread_attr_getdetachstate(&a, &v));
	CHECK_EQ(v, PTHREAD_CREATE_DETACHED);
	CHECK_OK(pthread_attr_destroy(&a));
}
