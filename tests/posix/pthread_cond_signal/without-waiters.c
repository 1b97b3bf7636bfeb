// SPDX-License-Identifier: BSD-2-Clause
// Signalling and broadcasting a condition that nobody waits on does nothing, and is not an error.
#include "../harness.h"

int main(void)
{
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;

	for (int i = 0; i < 10; i++) {
		CHECK_OK(pthread_cond_signal(&c));
		CHECK_OK(pthread_cond_broadcast(&c));
	}
	CHECK_OK(pthread_cond_destroy(&c));
}
