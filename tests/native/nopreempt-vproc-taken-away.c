// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread whose vproc is taken away amid a section that is not to be preempted, as the program may use fewer CPUs from
 * now on, ends the section there before it goes elsewhere, unless that lasts too long; and gets on in either case.
 */
#include "affinity.h"

#include <stdatomic.h>
#include <time.h>
#include <upcall/page.h>
#include <upcall/stats.h>

enum { ROUNDS = 4, PATIENCE_S = 20 };

static const volatile struct upcall_registers *r;
static cpu_set_t both, one;
static atomic_bool is_over;
static struct computing { atomic_int vproc; atomic_ulong sections; } computing[2];
static atomic_ulong left_after;		/* how often one left the vproc that is taken away, at the end of a section */

static void spin(uint64_t ns)
{
	for (uint64_t start = upcall_now(); upcall_now() - start < ns;)
		;
}

/* Nothing was told amid a section: who blocks there, as for a page, loses its vproc and may be back on another. */
static uint64_t blocks(void)
{
	struct upcall_stats s = { .size = sizeof(s) };

	CHECK_IS(upcall_stats(&s), 0);
	return s.upcalls_blocked;
}

static void *enter_often(void *arg)
{
	struct computing *me = arg;

	while (!is_over) {
		upcall_nopreempt_begin();
		uint64_t before = blocks();
		int at_begin = upcall_vproc();

		me->vproc = at_begin;
		spin(MS);
		int at_end = upcall_vproc();
		bool was_there = blocks() == before;

		upcall_nopreempt_end();
		CHECK(at_begin == at_end || !was_there);
		left_after += at_end == 1 && upcall_vproc() == 0;
		me->sections++;
	}
	return arg;
}

/* Its section never ends by itself. */
static void *stay_inside(void *arg)
{
	upcall_nopreempt_begin();
	while (!is_over)
		((struct computing *)arg)->vproc = upcall_vproc();
	upcall_nopreempt_end();
	return arg;
}

/* By a thread without a vproc: the two that compute have both, and nothing else asks them to give way. */
static void nap(void)
{
	struct timespec t = { 0, 2000000 };

	nanosleep(&t, NULL);
}

#define AWAIT(cond) \
	for (uint64_t start_ = upcall_now(); !(cond); nap()) \
		CHECK(upcall_now() - start_ < PATIENCE_S * 1000 * MS)

static void await_progress(void)
{
	unsigned long before[] = { computing[0].sections, computing[1].sections };

	AWAIT(computing[0].sections > before[0] + 5 && computing[1].sections > before[1] + 5);
}

static void await_a_vproc_each(void)
{
	AWAIT(r->vprocs_given == 2 && computing[0].vproc + computing[1].vproc == 1);
}

static void *take_away(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		await_a_vproc_each();
		let_all_run_on(&one);
		AWAIT(computing[0].vproc == 0 && computing[1].vproc == 0);
		await_progress();
		let_all_run_on(&both);
	}
	CHECK(left_after > 0);		/* now and then one may leave it between two sections */
	return arg;
}

static void *take_away_for_good(void *arg)
{
	await_a_vproc_each();
	int i = computing[1].vproc == 1;

	let_all_run_on(&one);
	AWAIT(computing[i].vproc == 0);
	return arg;
}

static void run(void *(*body)(void *), void *(*taker)(void *))
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t[2], bound;

	is_over = false;
	computing[0].vproc = computing[1].vproc = -1;
	for (int i = 0; i < 2; i++)
		t[i] = spawn(body, &computing[i]);
	attr.flags = UPCALL_BOUND;
	CHECK_IS(upcall_create(&bound, &attr, taker, NULL), 0);
	join(bound);
	is_over = true;
	for (int i = 0; i < 2; i++)
		join(t[i]);
}

static void test(void)
{
	int cpus[2];

	if (test_flags & UPCALL_NO_TLS)
		return;		/* such threads are never preempted */
	both = keep_two_cpus(cpus);
	one = only(cpus[0]);
	r = upcall_registers();
	if (upcall_vprocs() != 2) {
		printf("skip: not two vprocs\n");
		exit(SKIP);
	}
	run(enter_often, take_away);
	run(stay_inside, take_away_for_good);
}
