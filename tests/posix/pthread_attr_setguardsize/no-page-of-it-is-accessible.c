// SPDX-License-Identifier: BSD-2-Clause
// The guard area that a thread is told of, at least as large as was asked for, lies right below its stack, and no
// page of it can be accessed (POSIX: pthread_attr_setguardsize), the first above can; also where another thread
// had that stack before, and in a child that the thread forks.
#include "../harness.h"

enum { PAGE = 4096 };

/* The kernel reads or writes there, and fails where the thread would get SIGSEGV. */
static void check_guard(char *low, size_t guard)
{
	int fds[2];

	CHECK_OK(pipe(fds));
	for (char *p = low - guard; p < low; p += PAGE)
		CHECK_ERRNO(write(fds[1], p, 1), EFAULT);
	CHECK_ERRNO(write(fds[1], low - 1, 1), EFAULT);
	CHECK_EQ(write(fds[1], low, 1), 1);
	CHECK_EQ(read(fds[0], low, 1), 1);
	CHECK_EQ(write(fds[1], "x", 1), 1);
	CHECK_ERRNO(read(fds[0], low - 1, 1), EFAULT);
	CHECK_OK(close(fds[0]));
	CHECK_OK(close(fds[1]));
}

static void *body(void *arg)
{
	const size_t *asked = arg;
	pthread_attr_t a;
	void *low;
	size_t bytes, guard;
	int status;

	CHECK_OK(pthread_getattr_np(pthread_self(), &a));
	CHECK_OK(pthread_attr_getstack(&a, &low, &bytes));
	CHECK_OK(pthread_attr_getguardsize(&a, &guard));
	CHECK_OK(pthread_attr_destroy(&a));
	CHECK(guard >= *asked);
	check_guard(low, guard);
	pid_t pid = fork_watched();

	if (pid == 0) {
		check_guard(low, guard);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	check_guard(low, guard);
	return arg;
}

static void check(size_t guard)
{
	pthread_attr_t a;
	pthread_t t[2];

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, 256 * 1024));
	if (guard)
		CHECK_OK(pthread_attr_setguardsize(&a, guard));
	else
		CHECK_OK(pthread_attr_getguardsize(&a, &guard));
	CHECK(guard > 0);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 2; i++)
			CHECK_OK(pthread_create(&t[i], &a, body, &guard));
		for (int i = 0; i < 2; i++)
			CHECK(join(t[i]) == &guard);
	}
	CHECK_OK(pthread_attr_destroy(&a));
}

int main(void)
{
	static const size_t sizes[] = { 0 /* the default */, 1, PAGE + 1, 64 * 1024, 1024 * 1024, PAGE };

	for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		check(sizes[i]);
}
