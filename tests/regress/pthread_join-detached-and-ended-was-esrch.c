// SPDX-License-Identifier: BSD-2-Clause
// Joining or detaching a detached thread that has ended said ESRCH; like glibc's, EINVAL.
#include "../posix/harness.h"

static void *ends(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t t;
	if (__GLIBC_PREREQ(2, 42) && threads_are_glibcs())
		skip("from glibc 2.42 on its own do not say EINVAL");
	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
	CHECK_OK(pthread_create(&t, &attr, ends, NULL));
	settle();
	CHECK_EQ(pthread_join(t, NULL), EINVAL);
	CHECK_EQ(pthread_detach(t), EINVAL);
}
