/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of policies: each in a process of its own, whose threads note what they did in a log. */
#ifndef NATIVE_POLICY_H
#define NATIVE_POLICY_H

#include "check.h"

#include <sched.h>
#include <stdatomic.h>
#include <upcall/policy.h>
#include <upcall/stats.h>

static char ran[64];			/* a letter for each step, in order */
static atomic_uint steps;

static inline void *step(void *letter)
{
	ran[steps++] = (char)(long)letter;
	return NULL;
}

enum { DISTURBED = 75, TRIES = 200 };

/*
 * A kernel thread that blocked by surprise, as for a page, gave its vproc to another thread meanwhile; or, where slices
 * are 2 ms, one ended.  (What a policy itself preempts counts as that, too.)
 */
static inline bool is_disturbed(void)
{
	struct upcall_stats s = { .size = sizeof(s) };

	CHECK_IS(upcall_stats(&s), 0);
	return s.upcalls_blocked || (s.preemptions && getenv("UPCALL_INJECT"));
}

static inline void leave_if_disturbed(void)
{
	if (is_disturbed())
		_exit(DISTURBED);
}

static inline void check_in_force(upcall_t t, int priority)
{
	if (upcall_priority_in_force(t) != priority)
		leave_if_disturbed();
	CHECK_IS(upcall_priority_in_force(t), priority);
}

static inline void check_ran(const char *wanted)
{
	if (strcmp(ran, wanted)) {
		leave_if_disturbed();
		dprintf(2, "ran %s, not %s\n", ran, wanted);
		_exit(1);
	}
	memset(ran, 0, sizeof(ran));
	steps = 0;
}

static inline upcall_t spawn_at(int priority, uint64_t word, void *(*fn)(void *), void *arg)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t;

	attr.flags = test_flags;
	attr.priority = priority;
	attr.policy_word = word;
	CHECK_IS(upcall_create(&t, &attr, fn, arg), 0);
	return t;
}

static inline void with_policy(const struct upcall_policy *policy, unsigned vprocs, void (*fn)(void))
{
	int status = DISTURBED << 8;
	pid_t child;

	for (int i = 0; i < TRIES && status == DISTURBED << 8; i++) {
		child = fork();
		if (child) {
			CHECK(waitpid(child, &status, 0) == child);
			continue;
		}

		struct upcall_options options = UPCALL_OPTIONS_INIT;

		options.vprocs = vprocs;
		options.policy = policy;
		CHECK_IS(upcall_init(&options), 0);
		fn();
		exit(0);
	}
	CHECK_IS(status, 0);
}

/* For a pair of threads: each waits, computing, until the other has been there too. */
static atomic_int met;

static inline void *meet(void *arg)
{
	for (met++; met < 2;)
		sched_yield();
	return arg;
}

#endif
