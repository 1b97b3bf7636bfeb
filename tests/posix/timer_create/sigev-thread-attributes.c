// SPDX-License-Identifier: BSD-2-Clause
// With SIGEV_THREAD the function runs in a thread that has the attributes of sigev_notify_attributes, as they were at
// timer_create, POSIX 2.4.1 (Signal Generation and Delivery); it is detached, whatever they say, timer_create of
// glibc.
#include "../harness.h"

enum { STACK = 1536 << 10, LATER_STACK = 256 << 10, GUARD = 64 << 10, ROUNDS = 3 };

static sem_t come;
static atomic_size_t stack_bytes, guard_bytes;
static atomic_int state;
static atomic_bool has_right_stack;

static void tick(union sigval v)
{
	pthread_attr_t attr;
	void *stack;
	size_t bytes, guard;
	int detached;

	CHECK(v.sival_ptr == &come);
	CHECK_OK(pthread_getattr_np(pthread_self(), &attr));
	CHECK_OK(pthread_attr_getstack(&attr, &stack, &bytes));
	CHECK_OK(pthread_attr_getguardsize(&attr, &guard));
	CHECK_OK(pthread_attr_getdetachstate(&attr, &detached));
	CHECK_OK(pthread_attr_destroy(&attr));
	has_right_stack = (char *)&bytes > (char *)stack && (char *)&bytes < (char *)stack + bytes;
	stack_bytes = bytes;
	guard_bytes = guard;
	state = detached;
	CHECK_OK(sem_post(&come));
}

static timer_t make_timer(pthread_attr_t *attr)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick,
			      .sigev_value.sival_ptr = &come, .sigev_notify_attributes = attr };
	timer_t timer;

	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
	return timer;
}

static void await(timer_t timer)
{
	struct itimerspec once = { .it_value = ms_span(1) };

	CHECK_OK(timer_settime(timer, 0, &once, NULL));
	CHECK_OK(sem_wait(&come));
	CHECK(has_right_stack);
	CHECK_EQ(state, PTHREAD_CREATE_DETACHED);
}

static void *with_attributes(void *detach_state)
{
	pthread_attr_t attr;
	timer_t timer;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setstacksize(&attr, STACK));
	CHECK_OK(pthread_attr_setguardsize(&attr, GUARD));
	CHECK_OK(pthread_attr_setdetachstate(&attr, (int)(intptr_t)detach_state));
	timer = make_timer(&attr);
	CHECK_OK(pthread_attr_setstacksize(&attr, LATER_STACK));
	CHECK_OK(pthread_attr_destroy(&attr));
	for (int i = 0; i < ROUNDS; i++) {
		await(timer);
		CHECK(stack_bytes > STACK - GUARD && stack_bytes < 2 * STACK);
		CHECK_EQ(guard_bytes, GUARD);
	}
	CHECK_OK(timer_delete(timer));
	return NULL;
}

static void *without(void *arg)
{
	timer_t timer = make_timer(NULL);

	await(timer);
	CHECK_OK(timer_delete(timer));
	return arg;
}

int main(void)
{
	CHECK_OK(sem_init(&come, 0, 0));
	with_attributes((void *)PTHREAD_CREATE_DETACHED);
	join(spawn(with_attributes, (void *)PTHREAD_CREATE_JOINABLE));
	join(spawn(without, NULL));
	without(NULL);
}
