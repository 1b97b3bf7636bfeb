// SPDX-License-Identifier: BSD-2-Clause
// The default size of a stack is the limit (RLIMIT_STACK) that the program was begun with, in whole pages, or 2 MB
// where that is no limit (pthread_create(3)): threads have it, pthread_getattr_default_np and fresh attributes tell
// it, and a limit set later changes nothing.
#include "../harness.h"

#include <sys/resource.h>

enum { KB = 1024, MB = 1024 * KB };

static const rlim_t limits[] = { 1 * MB, 3 * MB + 4 * KB, 8 * MB, 2 * MB + 100, RLIM_INFINITY };
enum { LIMITS = sizeof limits / sizeof limits[0] };

static size_t default_size(void)
{
	pthread_attr_t a;
	size_t bytes = 0, fresh = 0;

	CHECK_OK(pthread_getattr_default_np(&a));
	CHECK_OK(pthread_attr_getstacksize(&a, &bytes));
	CHECK_OK(pthread_attr_destroy(&a));
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_getstacksize(&a, &fresh));
	CHECK_OK(pthread_attr_destroy(&a));
	CHECK_EQ(fresh, bytes);
	return bytes;
}

static size_t size_of(pthread_t t)
{
	pthread_attr_t a;
	size_t bytes = 0;

	CHECK_OK(pthread_getattr_np(t, &a));
	CHECK_OK(pthread_attr_getstacksize(&a, &bytes));
	CHECK_OK(pthread_attr_destroy(&a));
	return bytes;
}

/* The whole of it is there, but for some KB that the thread itself has used, and its data. */
static void *body(void *arg UNUSED)
{
	size_t bytes = size_of(pthread_self());
	volatile char *far = (volatile char *)__builtin_frame_address(0) - (bytes - 64 * KB);

	*far = 1;
	return (void *)bytes;
}

static size_t with_attributes(void)
{
	pthread_attr_t a;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_create(&t, &a, body, NULL));
	CHECK_OK(pthread_attr_destroy(&a));
	return (size_t)join(t);
}

static void limit(rlim_t soft)
{
	struct rlimit r;

	CHECK_OK(getrlimit(RLIMIT_STACK, &r));
	r.rlim_cur = soft;
	CHECK_OK(setrlimit(RLIMIT_STACK, &r));
}

/* Begun with that limit: `early` of the other limits is set before there are threads, others beside them. */
static void check(rlim_t mine, bool early)
{
	size_t want = mine == RLIM_INFINITY ? 2 * MB : (mine + 4 * KB - 1) / (4 * KB) * (4 * KB);

	if (early)
		limit(1 * MB + 64 * KB);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(default_size(), want);
		CHECK_EQ((size_t)join(spawn(body, NULL)), want);
		CHECK_EQ(with_attributes(), want);
		limit(512 * KB);
	}
}

int main(int argc, char **argv)
{
	struct rlimit r;
	int begun = argc > 1 ? atoi(argv[1]) : 0;	/* twice for each limit */

	if (begun > 0)
		check(limits[(begun - 1) / 2], begun % 2);
	if (begun == 2 * LIMITS)
		return 0;
	CHECK_OK(getrlimit(RLIMIT_STACK, &r));
	if (r.rlim_max != RLIM_INFINITY)
		skip("the stack's limit cannot be raised");
	limit(limits[begun / 2]);
	char number[] = { (char)('0' + (begun + 1) / 10), (char)('0' + (begun + 1) % 10), '\0' };

	execl("/proc/self/exe", argv[0], number, NULL);
	CHECK(false);
}
