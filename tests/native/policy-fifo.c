// SPDX-License-Identifier: BSD-2-Clause
// Policy fifo: threads run in the order in which they became ready, on whichever vproc is free.
#include "policy.h"

static void new_ones_in_order(void)
{
	upcall_t t[4];

	upcall_nopreempt_begin();
	for (long i = 0; i < 4; i++)
		t[i] = spawn(step, (void *)('a' + i));
	check_ran("");				/* main goes on, also where threads have no TLS block */
	upcall_nopreempt_end();
	for (int i = 0; i < 4; i++)
		join(t[i]);
	check_ran("abcd");
}

static struct upcall_sem sems[4];
static atomic_int arrived;

static void *wait_and_step(void *arg)
{
	long i = (long)arg;

	arrived++;
	upcall_sem_wait(&sems[i]);
	return step((void *)('a' + i));
}

static void woken_ones_in_order(void)
{
	static const int order[] = { 2, 0, 3, 1 };
	upcall_t t[4];

	for (long i = 0; i < 4; i++)
		t[i] = spawn(wait_and_step, (void *)i);
	while (arrived < 4)
		upcall_yield();
	upcall_yield();				/* all wait */
	arrived = 0;
	upcall_nopreempt_begin();
	for (int i = 0; i < 4; i++)
		upcall_sem_post(&sems[order[i]]);
	check_ran("");
	upcall_nopreempt_end();
	for (int i = 0; i < 4; i++)
		join(t[i]);
	check_ran("cadb");
}

static void *step_thrice(void *letter)
{
	for (int i = 0; i < 3; i++) {
		step(letter);
		upcall_yield();
	}
	return NULL;
}

static void who_yields_goes_to_the_end(void)
{
	upcall_t t[3];

	for (long i = 0; i < 3; i++)
		t[i] = spawn(step_thrice, (void *)('a' + i));
	for (int i = 0; i < 3; i++)
		join(t[i]);
	check_ran("abcabcabc");
}

static void on_one_vproc(void)
{
	CHECK_IS(upcall_vprocs(), 1);
	new_ones_in_order();
	woken_ones_in_order();
	who_yields_goes_to_the_end();
}

static atomic_int turns;

static void *take_turns(void *arg)
{
	for (int i = 0; i < 2000; i++) {
		turns++;
		upcall_yield();
	}
	return arg;
}

static void on_two_vprocs(void)
{
	upcall_t t[8], other;

	if (upcall_vprocs() == 2) {
		other = spawn(meet, NULL);	/* while main computes */
		meet(NULL);
		join(other);
	}
	for (int i = 0; i < 8; i++)
		t[i] = spawn(take_turns, NULL);
	for (int i = 0; i < 8; i++)
		join(t[i]);
	CHECK_IS(turns, 8 * 2000);
}

static void test(void)
{
	const struct upcall_policy *fifo = upcall_policy_named("fifo");

	CHECK(fifo && strcmp(fifo->name, "fifo") == 0);
	with_policy(fifo, 1, on_one_vproc);
	with_policy(fifo, 2, on_two_vprocs);
}
