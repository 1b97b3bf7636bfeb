// SPDX-License-Identifier: BSD-2-Clause
// The default is private; both values are kept; another one is EINVAL.
#include "../harness.h"

int main(void)
{
	pthread_condattr_t a;
	int v = -1;

	CHECK_OK(pthread_condattr_init(&a));
	CHECK_OK(pthread_condattr_getpshared(&a, &v));
	CHECK_EQ(v, PTHREAD_PROCESS_PRIVATE);
	CHECK_OK(pthread_condattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_condattr_getpshared(&a, &v));
	CHECK_EQ(v, PTHREAD_PROCESS_SHARED);
	CHECK_EQ(pthread_condattr_setpshared(&a, 55), EINVAL);
	CHECK_OK(pthread_condattr_destroy(&a));
}
