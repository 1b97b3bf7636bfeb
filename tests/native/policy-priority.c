// SPDX-License-Identifier: BSD-2-Clause
// Policy priority: the highest that is ready runs, at once, and those of one priority take turns.
#include "policy.h"

static void the_highest_first(void)
{
	static const int priorities[] = { 0, 7, -32, 3, 7 };
	upcall_t t[5];

	CHECK_IS(upcall_set_priority(upcall_self(), UPCALL_PRIORITY_MAX), 0);
	CHECK_IS(upcall_priority(upcall_self()), UPCALL_PRIORITY_MAX);
	for (long i = 0; i < 5; i++)
		t[i] = spawn_at(priorities[i], 0, step, (void *)('a' + i));
	check_ran("");
	for (int i = 0; i < 5; i++)
		join(t[i]);
	check_ran("bedac");
	CHECK_IS(upcall_set_priority(upcall_self(), 0), 0);
}

static void a_new_one_that_is_higher_runs_before_its_maker(void)
{
	upcall_t high = spawn_at(1, 0, step, (void *)'h'), low;

	check_ran("h");
	low = spawn_at(-1, 0, step, (void *)'l');
	upcall_yield();				/* to nobody: it is lower */
	check_ran("");
	join(low);
	join(high);
	check_ran("l");
}

static struct upcall_sem sem;

static void *wait_and_step(void *letter)
{
	upcall_sem_wait(&sem);
	return step(letter);
}

static void one_that_is_woken_runs_before_its_waker(void)
{
	upcall_t t = spawn_at(1, 0, wait_and_step, (void *)'w');

	check_ran("");
	upcall_sem_post(&sem);
	check_ran("w");
	join(t);
}

static void the_highest_waiter_is_woken_first(void)
{
	static const int priorities[] = { 2, 5, 1, 5 };
	upcall_t t[4];

	for (long i = 0; i < 4; i++)
		t[i] = spawn_at(priorities[i], 0, wait_and_step, (void *)('a' + i));
	for (int i = 0; i < 4; i++)
		upcall_sem_post(&sem);
	check_ran("bdac");
	for (int i = 0; i < 4; i++)
		join(t[i]);
}

static void a_change_counts_at_once(void)
{
	upcall_t a = spawn_at(-1, 0, step, (void *)'a'), b = spawn_at(-2, 0, step, (void *)'b');

	CHECK_IS(upcall_set_priority(b, 1), 0);		/* b is ready */
	check_ran("b");
	CHECK_IS(upcall_set_priority(upcall_self(), -3), 0);
	check_ran("a");
	CHECK_IS(upcall_set_priority(upcall_self(), 0), 0);
	check_in_force(upcall_self(), 0);
	join(a);
	join(b);
	CHECK_IS(upcall_set_priority(upcall_self(), UPCALL_PRIORITY_MAX + 1), -EINVAL);
	CHECK_IS(upcall_set_priority(upcall_self(), UPCALL_PRIORITY_MIN - 1), -EINVAL);
}

static void *step_twice(void *letter)
{
	step(letter);
	upcall_yield();
	return step(letter);
}

static void equals_take_turns(void)
{
	upcall_t t[3];

	for (long i = 0; i < 3; i++)
		t[i] = spawn_at(-1, 0, step_twice, (void *)('a' + i));
	for (int i = 0; i < 3; i++)
		join(t[i]);
	check_ran("abcabc");
}

static atomic_bool is_over;
static atomic_int computing;

static void *compute(void *arg)
{
	for (computing++; !is_over;)
		if (test_flags)			/* without a TLS block nobody is interrupted */
			upcall_yield();
	computing--;
	return arg;
}

/* Main wakes up by a timer while lower ones compute on all vprocs; one that is lower still never runs. */
static void higher_ones_do_not_wait(void)
{
	unsigned n = upcall_vprocs();
	upcall_t t[n], low;

	CHECK_IS(upcall_set_priority(upcall_self(), 3), 0);
	for (unsigned i = 0; i < n; i++)
		t[i] = spawn_at(1, 0, compute, NULL);
	for (unsigned i = 0; i < 5 || computing < (int)n; i++)
		upcall_sleep(5 * MS);
	low = spawn_at(-1, 0, step, (void *)'l');
	upcall_sleep(30 * MS);
	check_ran("");
	is_over = true;
	for (unsigned i = 0; i < n; i++)
		join(t[i]);
	join(low);
	check_ran("l");
}

static void on_one_vproc(void)
{
	CHECK_IS(upcall_vprocs(), 1);
	the_highest_first();
	a_new_one_that_is_higher_runs_before_its_maker();
	one_that_is_woken_runs_before_its_waker();
	the_highest_waiter_is_woken_first();
	a_change_counts_at_once();
	equals_take_turns();
	higher_ones_do_not_wait();
}

static void on_two_vprocs(void)
{
	if (upcall_vprocs() == 2) {
		upcall_t other = spawn_at(-1, 0, meet, NULL);	/* lower, on the other vproc */

		meet(NULL);
		join(other);
	}
	higher_ones_do_not_wait();
}

static void test(void)
{
	const struct upcall_policy *priority = upcall_policy_named("priority");

	CHECK(priority && (priority->flags & UPCALL_POLICY_PRIORITIES));
	with_policy(priority, 1, on_one_vproc);
	with_policy(priority, 2, on_two_vprocs);
}
