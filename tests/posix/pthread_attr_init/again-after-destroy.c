// SPDX-License-Identifier: BSD-2-Clause
// An attribute object may be initialised again after it was destroyed, and has the defaults then.
#include "../harness.h"

int main(void)
{
	pthread_attr_t a;
	int v;

	for (int i = 0; i < 3; i++) {
		CHECK_OK(pthread_attr_init(&a));
		CHECK_OK(pthread_attr_getdetachstate(&a, &v));
		CHECK_EQ(v, PTHREAD_CREATE_JOINABLE);
		CHECK_OK(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
		CHECK_OK(pthread_attr_destroy(&a));
	}
}
