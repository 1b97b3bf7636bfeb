// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread that unblocks is reported to the vproc that it left, and there, while that one computes: also where the other
 * one idles, and takes the thread.
 */
#include "affinity.h"
#include "blocks.h"

#include <stdatomic.h>
#include <upcall/page.h>
#include <upcall/reports.h>

enum { VPROCS = 2, VPROC = 1, WANTED = 10, PATIENCE_S = 25, NOWHERE = -1 };

static const volatile struct upcall_registers *r;
static atomic_uint blocker, came_back[VPROCS], elsewhere, strayed;
static atomic_int left = NOWHERE;		/* where it was when it blocked */
static atomic_bool is_over, is_through;

static void note(const struct upcall_report *event, void *arg)
{
	CHECK(arg == &is_over);
	if (upcall_register_vproc(r) != (int)event->vproc)
		strayed++;
	if (!event->thread || event->thread != blocker)
		return;
	if (event->kind == UPCALL_REPORT_BLOCKED)
		left = (int)event->vproc;
	if (event->kind != UPCALL_REPORT_UNBLOCKED)
		return;
	if (left == (int)event->vproc)
		came_back[event->vproc]++;
	else
		elsewhere++;
}

static void *compute(void *arg)
{
	while (!is_over)
		;
	return arg;
}

static void *block(void *arg)
{
	blocker = upcall_register_thread(r);
	raw_sleep(100 * 1000 * 1000);
	is_through = true;
	return arg;
}

/* Main computes until it is blocked, lest an idle vproc take it before that; then it sleeps, or computes on. */
static void let_one_block(bool sleeps)
{
	unsigned before = came_back[0] + came_back[1];

	is_through = false;
	left = NOWHERE;
	upcall_t t = spawn_on(VPROC, block, NULL);

	while (left == NOWHERE && !is_through)
		;
	while (!is_through || (left != NOWHERE && came_back[0] + came_back[1] + elsewhere == before))
		if (sleeps)
			upcall_sleep(2 * MS);
	join(t);
}

static void test(void)
{
	int cpus[2];

	if (test_flags & UPCALL_NO_TLS)
		return;		/* such threads are never preempted */
	keep_two_cpus(cpus);
	r = upcall_registers();
	CHECK_IS(upcall_reports_open(note, &is_over), 0);
	if (upcall_vprocs() != VPROCS) {
		printf("skip: not two vprocs\n");
		exit(SKIP);
	}
	upcall_t hog = spawn_on(VPROC, compute, NULL);
	uint64_t start = upcall_now();

	for (unsigned n = 0; came_back[VPROC] < WANTED && !elsewhere; n++) {
		CHECK(upcall_now() - start < PATIENCE_S * 1000 * MS);
		let_one_block(n % 2);
	}
	is_over = true;
	join(hog);
	CHECK_IS(elsewhere, 0);
	CHECK_IS(upcall_reports_open(NULL, NULL), 0);
	CHECK_IS(strayed, 0);
}
