// SPDX-License-Identifier: BSD-2-Clause
// The attributes of main say the CPU mask that it has now.
#include "../harness.h"

int main(void)
{
	cpu_set_t one = one_cpu(), told;
	pthread_attr_t attr;

	join(spawn(nothing, NULL));
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof one, &one));
	CHECK_OK(pthread_getattr_np(pthread_self(), &attr));
	CHECK_OK(pthread_attr_getaffinity_np(&attr, sizeof told, &told));
	CHECK(CPU_EQUAL(&told, &one));
	CHECK_OK(pthread_attr_destroy(&attr));
	return 0;
}
