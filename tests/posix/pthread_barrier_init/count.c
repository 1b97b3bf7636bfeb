// SPDX-License-Identifier: BSD-2-Clause
// A count of zero is EINVAL; with a count of one nobody waits and everybody is the serial thread.
#include "../harness.h"

int main(void)
{
	pthread_barrier_t b;

	CHECK_EQ(pthread_barrier_init(&b, NULL, 0), EINVAL);
	CHECK_OK(pthread_barrier_init(&b, NULL, 1));
	for (int i = 0; i < 5; i++)
		CHECK_EQ(pthread_barrier_wait(&b), PTHREAD_BARRIER_SERIAL_THREAD);
	CHECK_OK(pthread_barrier_destroy(&b));
}
