// SPDX-License-Identifier: BSD-2-Clause
// The last thread ends the process, by exit.  Where what that runs called pthread_exit, or was a cancellation point and a
// cancellation waited, the thread went on in a frame that was gone.  Main as well, where it is the last.
#include "../posix/harness.h"

static pthread_t main_thread;

static void leaves(void)
{
	pthread_exit(NULL);
}

static void tests_cancel(void)
{
	pthread_testcancel();
}

static void *exits(void *arg)
{
	CHECK_OK(pthread_join(main_thread, NULL));
	CHECK_OK(atexit(leaves));
	return arg;
}

static void *is_cancelled(void *arg)
{
	CHECK_OK(pthread_join(main_thread, NULL));
	CHECK_OK(atexit(tests_cancel));
	CHECK_OK(pthread_cancel(pthread_self()));
	return arg;
}

static void last_exits(void)
{
	main_thread = pthread_self();
	spawn(exits, NULL);
	pthread_exit(NULL);
}

static void last_is_cancelled(void)
{
	main_thread = pthread_self();
	spawn(is_cancelled, NULL);
	pthread_exit(NULL);
}

static void main_is_last(void)
{
	join(spawn(nothing, NULL));
	CHECK_OK(atexit(leaves));
	pthread_exit(NULL);
}

int main(void)
{
	CHECK_EQ(in_child(last_exits), 0);
	CHECK_EQ(in_child(last_is_cancelled), 0);
	CHECK_EQ(in_child(main_is_last), 0);
}
