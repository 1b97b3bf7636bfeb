// SPDX-License-Identifier: BSD-2-Clause
// A stack of more than all memory is EAGAIN, whatever its size adds up to.
#include "../harness.h"

int main(void)
{
	pthread_attr_t attr;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&attr));
	for (int bit = 47; bit < 64; bit++) {
		CHECK_OK(pthread_attr_setstacksize(&attr, (size_t)1 << bit));
		CHECK_EQ(pthread_create(&t, &attr, nothing, NULL), EAGAIN);
		CHECK_OK(pthread_attr_setstacksize(&attr, ((size_t)1 << bit) - 4096 * 64));
		CHECK_EQ(pthread_create(&t, &attr, nothing, NULL), EAGAIN);
	}
	join(spawn(nothing, NULL));
}
