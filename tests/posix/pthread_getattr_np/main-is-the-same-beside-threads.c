// SPDX-License-Identifier: BSD-2-Clause
// The stack that pthread_getattr_np tells of the initial thread holds its frames, is no larger than RLIMIT_STACK,
// and is the same before there are threads, beside them, told to another thread, after main has chosen its
// processors, after the threads have ended, and in a child that main forks.
#include "../harness.h"

#include <sys/resource.h>

struct stack {
	char *low;
	size_t bytes;
};

static pthread_t main_thread;
static struct stack first;

static struct stack of_main(void)
{
	pthread_attr_t a;
	struct stack s;
	int state;

	CHECK_OK(pthread_getattr_np(main_thread, &a));
	CHECK_OK(pthread_attr_getstack(&a, (void **)&s.low, &s.bytes));
	CHECK_OK(pthread_attr_getdetachstate(&a, &state));
	CHECK_EQ(state, PTHREAD_CREATE_JOINABLE);
	CHECK_OK(pthread_attr_destroy(&a));
	return s;
}

static void check(void)
{
	struct stack s = of_main();

	CHECK_EQ((uintptr_t)s.low, (uintptr_t)first.low);
	CHECK_EQ(s.bytes, first.bytes);
}

static void check_frame(void)
{
	char *here = __builtin_frame_address(0);

	CHECK(here >= first.low && here < first.low + first.bytes);
	check();
}

static void handler(int sig UNUSED)
{
	check_frame();
}

static void *body(void *arg)
{
	char *here = __builtin_frame_address(0);

	CHECK(here < first.low || here >= first.low + first.bytes);
	check();
	return arg;
}

int main(void)
{
	struct rlimit limit;
	cpu_set_t all;

	main_thread = pthread_self();
	first = of_main();
	CHECK_OK(getrlimit(RLIMIT_STACK, &limit));
	CHECK(first.bytes > 0 && first.bytes <= limit.rlim_cur);
	check_frame();
	join(spawn(body, NULL));
	check_frame();
	on_signal(SIGUSR1, handler, 0);
	CHECK_OK(raise(SIGUSR1));
	CHECK_OK(sched_getaffinity(0, sizeof all, &all));
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof all, &all));
	check_frame();
	join(spawn(body, NULL));
	check_frame();
	CHECK_EQ(in_child(check_frame), 0);
}
