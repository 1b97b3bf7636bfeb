// SPDX-License-Identifier: BSD-2-Clause
// Waiting for an event, and none is missed between unmasking it and the wait; the events of one vproc by themselves.
#include "check.h"

#include <sched.h>
#include <stdatomic.h>
#include <upcall/reports.h>

enum { ROUNDS = 300, ALL = (1 << UPCALL_REPORT_KINDS) - 1, ALL_BUT_TIMERS = ALL & ~(1 << UPCALL_REPORT_TIMER) };
static atomic_uint timers, others, own;

static void note(const struct upcall_report *event, void *arg)
{
	atomic_fetch_add(event->kind == UPCALL_REPORT_TIMER ? &timers : &others, 1);
	CHECK(!arg);
}

static void note_own(const struct upcall_report *event, void *arg)
{
	CHECK(event->vproc == 0 && arg == &own);
	atomic_fetch_add(&own, 1);
}

static void *nap(void *arg)
{
	upcall_sleep(MS);
	return arg;
}

/* A time comes for a thread that sleeps, and is told or queued. */
static void let_a_timer_pass(void)
{
	join(spawn(nap, NULL));
}

static void test_what_waited(void)
{
	CHECK_IS(upcall_reports_mask(0, ALL), 0);
	let_a_timer_pass();
	CHECK_IS(timers, 0);
	CHECK_IS(upcall_reports_wait(0, ALL_BUT_TIMERS, upcall_now() + 20000 * MS), 0);
	CHECK(timers >= 1 && others == 0);
	CHECK_IS(upcall_reports_mask(0, ALL), ALL);		/* as it was */
}

static void test_limit(void)
{
	uint64_t began = upcall_now();

	CHECK_IS(upcall_reports_wait(0, ALL, began + 20 * MS), -ETIMEDOUT);
	CHECK(upcall_now() - began >= 20 * MS);
	CHECK_IS(upcall_reports_wait(100000, 0, UPCALL_NEVER), -EINVAL);
}

static void *nap_often(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		upcall_sleep(MS / 10);
	return arg;
}

/* One that comes at any moment ends the wait, or the next one: what the other thread makes is seen to the last. */
static void test_none_is_missed(void)
{
	unsigned before = timers, waits = 0;
	upcall_t t = spawn(nap_often, NULL);

	while (timers - before < ROUNDS / 2) {		/* several at once may find no room */
		unsigned seen = timers;

		CHECK_IS(upcall_reports_wait(0, ALL_BUT_TIMERS, upcall_now() + 20000 * MS), 0);
		CHECK(timers != seen);
		waits++;
	}
	join(t);
	CHECK(waits > 0);
	CHECK_IS(upcall_reports_mask(0, 0), ALL);
}

struct wait {
	uint32_t mask;
	int result;
	atomic_bool has_begun, is_over;
};

static void *wait_in_turn(void *arg)
{
	struct wait *w = arg;

	w->has_begun = true;
	w->result = upcall_reports_wait(0, w->mask, upcall_now() + 60000 * MS);
	w->is_over = true;
	return NULL;
}

static upcall_t begin_wait(struct wait *w)
{
	upcall_t t = spawn(wait_in_turn, w);

	while (!w->has_begun)
		upcall_yield();
	for (int i = 0; i < 10; i++)
		upcall_yield();
	return t;
}

/* Each of two who wait is woken by what it lets in, whoever began first, and the mask is what it was. */
static void test_two(void)
{
	for (int i = 0; i < 2; i++) {
		struct wait a = { .mask = i ? ALL : ALL_BUT_TIMERS }, b = { .mask = i ? ALL_BUT_TIMERS : ALL };
		struct wait *timed = i ? &b : &a, *other = i ? &a : &b;

		CHECK_IS(upcall_reports_mask(0, ALL), i ? ALL : 0);
		upcall_t first = begin_wait(&a), second = begin_wait(&b);

		let_a_timer_pass();
		join(i ? second : first);
		CHECK_IS(timed->result, 0);
		CHECK(!other->is_over);
		CHECK_IS(upcall_reports_mask(0, ALL), ALL);
		CHECK_IS(upcall_cancel(i ? first : second), 0);
		join(i ? first : second);
		CHECK_IS(other->result, -ECANCELED);
	}
	CHECK_IS(upcall_reports_mask(0, 0), ALL);
}

static void *cancel_it(void *arg)
{
	upcall_sleep(5 * MS);
	CHECK_IS(upcall_cancel(arg), 0);
	return NULL;
}

static void test_cancel(void)
{
	CHECK_IS(upcall_reports_mask(0, ALL), 0);	/* one that comes as the wait begins is waited for no more */
	upcall_t t = spawn(cancel_it, upcall_self());

	CHECK_IS(upcall_reports_wait(0, ALL, UPCALL_NEVER), -ECANCELED);
	join(t);
	CHECK_IS(upcall_reports_mask(0, 0), ALL);
}

static void test_own_handler(void)
{
	CHECK_IS(upcall_reports_open_on(100000, note_own, &own), -EINVAL);
	CHECK_IS(upcall_reports_open_on(0, note_own, &own), 0);
	timers = others = 0;
	let_a_timer_pass();
	CHECK(own > 0 && timers == 0 && others == 0);
	CHECK_IS(upcall_reports_open_on(0, NULL, NULL), 0);
	own = 0;
	let_a_timer_pass();
	CHECK(own == 0 && timers > 0);
}

static void test_warning_time(void)
{
	CHECK_IS(upcall_reports_warn(6000), 4000);
	CHECK_IS(upcall_reports_warn(UPCALL_REPORT_WARN_MAX_US + 1), -EINVAL);
	CHECK_IS(upcall_reports_warn(0), 6000);
	CHECK_IS(upcall_reports_warn(4000), 0);
}

static void test(void)
{
	cpu_set_t one;

	CHECK(sched_getaffinity(0, sizeof(one), &one) == 0);
	for (int i = 0, n = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &one) && n++)
			CPU_CLR(i, &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);	/* one vproc */
	timers = others = own = 0;
	CHECK_IS(upcall_reports_wait(0, 0, UPCALL_NEVER), -EINVAL);	/* no handler */
	CHECK_IS(upcall_reports_open(note, NULL), 0);
	test_what_waited();
	test_limit();
	test_none_is_missed();
	test_two();
	test_cancel();
	test_own_handler();
	test_warning_time();
	CHECK_IS(upcall_reports_open(NULL, NULL), 0);
}
