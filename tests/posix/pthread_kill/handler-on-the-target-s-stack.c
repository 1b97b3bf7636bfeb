// SPDX-License-Identifier: BSD-2-Clause
// A handler of a directed signal runs in the target thread: pthread_self, errno and stack are its own.
#include "../harness.h"

static pthread_t target;
static atomic_int handled;
static atomic_bool is_marked;
static __thread int mark;

static void handler(int sig UNUSED)
{
	pthread_attr_t a;
	void *low;
	size_t size;
	char here;

	CHECK(pthread_equal(pthread_self(), target));
	CHECK_EQ(mark, 5);
	CHECK_OK(pthread_getattr_np(pthread_self(), &a));
	CHECK_OK(pthread_attr_getstack(&a, &low, &size));
	CHECK(&here >= (char *)low && &here < (char *)low + size);
	handled++;
}

static void *body(void *arg)
{
	sigset_t none;

	mark = 5;
	is_marked = true;
	sigemptyset(&none);
	WAIT_FOR(handled >= 3);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_RESTART);
	target = spawn(body, NULL);
	WAIT_FOR(is_marked);
	for (int i = 1; i <= 3; i++) {
		sleep_ms(5);
		CHECK_OK(pthread_kill(target, SIGUSR1));
		WAIT_FOR(handled == i);
	}
	join(target);
}
