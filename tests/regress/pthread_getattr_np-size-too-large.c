// SPDX-License-Identifier: BSD-2-Clause
// Without a stack size of its own a thread's stack is as large as RLIMIT_STACK was at the start.
#include "../posix/harness.h"

#include <sys/resource.h>

static void *body(void *arg)
{
	pthread_attr_t a;
	size_t n;

	CHECK_OK(pthread_getattr_np(pthread_self(), &a));
	CHECK_OK(pthread_attr_getstacksize(&a, &n));
	CHECK_EQ(n, 3145728);
	return arg;
}

int main(int argc, char **argv)
{
	struct rlimit r;

	CHECK_OK(getrlimit(RLIMIT_STACK, &r));
	if (argc == 1) {
		r.rlim_cur = 3145728;
		CHECK_OK(setrlimit(RLIMIT_STACK, &r));
		execl("/proc/self/exe", argv[0], "again", NULL);
		CHECK(false);
	}
	CHECK_EQ(r.rlim_cur, 3145728);
	join(spawn(body, NULL));
}
