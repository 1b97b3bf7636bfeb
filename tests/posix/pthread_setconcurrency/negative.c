// SPDX-License-Identifier: BSD-2-Clause
// A negative concurrency level is EINVAL; what was set is told.
#include "../harness.h"

int main(void)
{
	CHECK_EQ(pthread_setconcurrency(-1), EINVAL);
	CHECK_OK(pthread_setconcurrency(5));
	CHECK_EQ(pthread_getconcurrency(), 5);
	CHECK_OK(pthread_setconcurrency(0));
	CHECK_EQ(pthread_getconcurrency(), 0);
}
