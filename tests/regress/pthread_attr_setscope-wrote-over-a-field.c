// SPDX-License-Identifier: BSD-2-Clause
// The scope that is asked for changes nothing else of an attribute object (in glibc 2.31 its last word is a size).
#include "../posix/harness.h"

int main(void)
{
	pthread_attr_t a;
	cpu_set_t cpus, got;
	pthread_t t;

	CHECK_OK(sched_getaffinity(0, sizeof(cpus), &cpus));
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setaffinity_np(&a, sizeof(cpus), &cpus));
	CHECK_OK(pthread_attr_setscope(&a, PTHREAD_SCOPE_SYSTEM));
	CHECK_OK(pthread_attr_getaffinity_np(&a, sizeof(got), &got));
	CHECK(CPU_EQUAL(&cpus, &got));
	CHECK_OK(pthread_create(&t, &a, nothing, NULL));
	join(t);
	CHECK_OK(pthread_attr_destroy(&a));

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setscope(&a, PTHREAD_SCOPE_SYSTEM));
	CHECK_OK(pthread_setattr_default_np(&a));
	CHECK_OK(pthread_create(&t, NULL, nothing, NULL));
	join(t);
}
