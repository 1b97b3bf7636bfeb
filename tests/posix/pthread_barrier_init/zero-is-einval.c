// SPDX-License-Identifier: BSD-2-Clause
// A barrier for nobody is EINVAL; one for a single thread lets it through, as the serial one.
#include "../harness.h"

int main(void)
{
	pthread_barrier_t b;

	CHECK_EQ(pthread_barrier_init(&b, NULL, 0), EINVAL);
	CHECK_OK(pthread_barrier_init(&b, NULL, 1));
	for (int i = 0; i < 3; i++)
		CHECK_EQ(pthread_barrier_wait(&b), PTHREAD_BARRIER_SERIAL_THREAD);
	CHECK_OK(pthread_barrier_destroy(&b));
	CHECK_OK(pthread_barrier_init(&b, NULL, 1));
	CHECK_OK(pthread_barrier_destroy(&b));
}
