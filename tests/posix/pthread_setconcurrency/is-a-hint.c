// SPDX-License-Identifier: BSD-2-Clause
// pthread_getconcurrency gives back what was set, zero at first; negative is EINVAL.
#include "../harness.h"

int main(void)
{
	CHECK_EQ(pthread_getconcurrency(), 0);
	CHECK_OK(pthread_setconcurrency(5));
	CHECK_EQ(pthread_getconcurrency(), 5);
	CHECK_EQ(pthread_setconcurrency(-1), EINVAL);
	CHECK_OK(pthread_setconcurrency(0));
}
