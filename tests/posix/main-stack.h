// SPDX-License-Identifier: BSD-2-Clause
/*
 * Main's stack, of at most 8 MB (RLIMIT_STACK), in the states that main can be in.  Each is had in a child process
 * of its own, as a stack that has grown stays so.
 */
#ifndef MAIN_STACK_H
#define MAIN_STACK_H

#define IS_LONG		/* several children, in turn */
#include "harness.h"

#include <sys/resource.h>

enum { MB = 1 << 20, LIMIT = 8 * MB, FRAME = 2048, USERS = 2 };

static atomic_bool is_over;
static atomic_int computed;
static pthread_mutex_t stack_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stack_cond = PTHREAD_COND_INITIALIZER;

/* What the kernel leaves room for below main's stack is decided at exec. */
static inline void limit_stack(char **argv)
{
	struct rlimit r;

	CHECK_OK(getrlimit(RLIMIT_STACK, &r));
	if (r.rlim_cur == LIMIT)
		return;
	if (r.rlim_max < LIMIT || argv[1])
		skip("the stack is limited to less than 8 MB");
	r.rlim_cur = LIMIT;
	CHECK_OK(setrlimit(RLIMIT_STACK, &r));
	execl("/proc/self/exe", argv[0], "again", NULL);
	CHECK(false);
}

/* Goes so deep, leaves a mark in each page on the way, and finds them all on the way back. */
static int __attribute__((noinline)) deepen(size_t bytes)
{
	volatile size_t frame[FRAME / sizeof(size_t)];
	int wrong = 0;

	for (unsigned i = 0; i < FRAME / sizeof(size_t); i += 64)
		frame[i] = bytes + i;
	if (bytes > FRAME)
		wrong = deepen(bytes - FRAME);
	for (unsigned i = 0; i < FRAME / sizeof(size_t); i += 64)
		wrong += frame[i] != bytes + i;
	return wrong;
}

static void *computes(void *arg)
{
	while (!is_over)
		computed++;
	return arg;
}

static void *waits(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&stack_lock));
	while (!is_over)
		CHECK_OK(pthread_cond_wait(&stack_cond, &stack_lock));
	CHECK_OK(pthread_mutex_unlock(&stack_lock));
	return arg;
}

static void end_users(pthread_t *t)
{
	CHECK_OK(pthread_mutex_lock(&stack_lock));
	is_over = true;
	CHECK_OK(pthread_cond_broadcast(&stack_cond));
	CHECK_OK(pthread_mutex_unlock(&stack_lock));
	join_many(t, USERS);
}

static void (*stack_use)(void);		/* what the test does with main's stack */

static void beside(void *(*what)(void *))
{
	pthread_t t[USERS];

	spawn_many(t, USERS, what);
	if (what == computes)
		WAIT_FOR(computed > 0);
	stack_use();
	end_users(t);
}

static void beside_those_that_wait(void)
{
	beside(waits);
}

static void beside_those_that_compute(void)
{
	beside(computes);
}

static void after_threads_have_ended(void)
{
	pthread_t t[USERS];

	spawn_many(t, USERS, nothing);
	join_many(t, USERS);
	stack_use();
}

static void stack_handler(int sig UNUSED)
{
	stack_use();
}

static void in_a_handler(void)
{
	pthread_t t[USERS];

	on_signal(SIGUSR1, stack_handler, 0);
	spawn_many(t, USERS, computes);
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	end_users(t);
}

static void *sends(void *arg)
{
	CHECK_OK(pthread_kill(*(pthread_t *)arg, SIGUSR1));
	return NULL;
}

/* Main waits for the one that sends when its handler begins. */
static void in_a_handler_amid_a_wait(void)
{
	pthread_t me = pthread_self();

	on_signal(SIGUSR1, stack_handler, 0);
	join(spawn(sends, &me));
}

/* A thread that sets its processors may have a kernel thread of its own. */
static void choose_processors(void)
{
	cpu_set_t all;

	CHECK_OK(pthread_getaffinity_np(pthread_self(), sizeof all, &all));
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof all, &all));
}

static void with_processors_chosen(void)
{
	pthread_t t[USERS];

	spawn_many(t, USERS, computes);
	choose_processors();
	stack_use();
	end_users(t);
}

static void with_processors_chosen_before_threads(void)
{
	choose_processors();
	beside(computes);
}

static void (*const stack_situations[])(void) = {
	beside_those_that_wait, beside_those_that_compute, after_threads_have_ended, in_a_handler,
	in_a_handler_amid_a_wait, with_processors_chosen, with_processors_chosen_before_threads,
};
enum { STACK_SITUATIONS = sizeof stack_situations / sizeof stack_situations[0] };

#endif
