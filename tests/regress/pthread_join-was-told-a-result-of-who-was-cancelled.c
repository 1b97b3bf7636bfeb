// SPDX-License-Identifier: BSD-2-Clause
// Where a key's destructor is a cancellation point and a cancellation waits, or it calls pthread_exit, pthread_join tells
// that, not what the thread's function returned before.
#include "../posix/harness.h"

static pthread_key_t tests, exits;
static int returned, exited;

static void test_cancel(void *arg UNUSED)
{
	pthread_testcancel();
}

static void leave(void *arg UNUSED)
{
	pthread_exit(&exited);
}

static void *is_cancelled(void *arg UNUSED)
{
	CHECK_OK(pthread_setspecific(tests, &tests));
	CHECK_OK(pthread_cancel(pthread_self()));
	return &returned;
}

static void *leaves(void *arg UNUSED)
{
	CHECK_OK(pthread_setspecific(exits, &exits));
	return &returned;
}

static void *both(void *arg)
{
	CHECK_OK(pthread_setspecific(exits, &exits));
	return is_cancelled(arg);
}

static void *only_returns(void *arg UNUSED)
{
	CHECK_OK(pthread_cancel(pthread_self()));
	return &returned;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&exits, leave));
	CHECK_OK(pthread_key_create(&tests, test_cancel));
	CHECK(join(spawn(is_cancelled, NULL)) == PTHREAD_CANCELED);
	CHECK(join(spawn(leaves, NULL)) == &exited);
	CHECK(join(spawn(both, NULL)) == &exited);
	CHECK(join(spawn(only_returns, NULL)) == &returned);
}
