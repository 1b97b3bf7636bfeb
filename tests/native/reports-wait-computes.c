// SPDX-License-Identifier: BSD-2-Clause
/*
 * Who waits for an event of a vproc on which a thread computes, alone, is told of it: that a thread has unblocked which
 * the other vproc then takes, and nothing else happens there.  And does not wait for what it has caused itself.
 */
#include "affinity.h"
#include "blocks.h"

#include <stdatomic.h>
#include <upcall/reports.h>

enum { VPROC = 1, ROUNDS = 8, PATIENCE_S = 20, TOLD_WITHIN_MS = 10000, ALL = (1 << UPCALL_REPORT_KINDS) - 1 };

static atomic_uint blocked, unblocked, signals;
static atomic_ulong unblocked_ns;
static atomic_bool is_over, is_through;

static void note(const struct upcall_report *event, void *arg)
{
	CHECK(arg == &is_over);
	if (event->vproc != VPROC)
		return;
	blocked += event->kind == UPCALL_REPORT_BLOCKED;
	if (event->kind == UPCALL_REPORT_UNBLOCKED) {
		unblocked_ns = upcall_now();
		unblocked++;
	}
	signals += event->kind == UPCALL_REPORT_SIGNAL;
}

static void *compute(void *arg)
{
	while (!is_over)
		;
	return arg;
}

static void *block(void *arg)
{
	raw_sleep(200 * 1000 * 1000);
	is_through = true;
	return arg;
}

/* It is alone when the wait has begun: the one that it waits with asks it for nothing. */
static void test_nothing_comes(void)
{
	upcall_t hog = spawn_on(VPROC, compute, NULL);

	upcall_sleep(50 * MS);
	for (int i = 0; i < ROUNDS; i++) {
		unsigned before = signals;
		int err = upcall_reports_wait(VPROC, ALL & ~(1 << UPCALL_REPORT_SIGNAL), upcall_now() + 20 * MS);

		CHECK(err == -ETIMEDOUT || (err == 0 && signals != before));
		CHECK_IS(signals, before);
	}
	is_over = true;
	join(hog);
}

/*
 * Main computes, too, until it is blocked: an idle vproc would take what computes.  What is blocked unseen, or on the
 * other vproc, does not count.
 */
static bool is_told_when_it_unblocks(void)
{
	unsigned before = unblocked, blocks = blocked;

	is_through = false;
	upcall_t t = spawn_on(VPROC, block, NULL);

	while (blocked == blocks && !is_through)
		;
	bool counts = blocked != blocks;

	if (counts) {
		CHECK_IS(upcall_reports_wait(VPROC, ALL & ~(1 << UPCALL_REPORT_UNBLOCKED), upcall_now() + PATIENCE_S * 1000 * MS), 0);
		if (getenv("UPCALL_INJECT") && unblocked == before)
			counts = false;		/* a block that was none, told just before the mask was in place */
		else
			CHECK(unblocked != before);
		CHECK(upcall_now() - unblocked_ns < TOLD_WITHIN_MS * MS || getenv("UPCALL_INJECT"));	/* which loses kicks */
	}
	join(t);
	return counts;
}

static void test_it_unblocks(void)
{
	uint64_t start = upcall_now();

	is_over = false;
	CHECK_IS(upcall_reports_mask(VPROC, ALL & ~(1 << UPCALL_REPORT_BLOCKED)), ALL);
	upcall_t hog = spawn_on(VPROC, compute, NULL);

	for (int n = 0; n < ROUNDS; n += is_told_when_it_unblocks())
		CHECK(upcall_now() - start < PATIENCE_S * 1000 * MS);
	is_over = true;
	join(hog);
	CHECK_IS(upcall_reports_mask(VPROC, ALL), ALL & ~(1 << UPCALL_REPORT_BLOCKED));
}

static void test(void)
{
	int cpus[2];

	if (test_flags & UPCALL_NO_TLS)
		return;		/* such threads are never preempted */
	keep_two_cpus(cpus);
	CHECK_IS(upcall_reports_open(note, &is_over), 0);
	if (upcall_vprocs() != 2) {
		printf("skip: not two vprocs\n");
		exit(SKIP);
	}
	CHECK_IS(upcall_reports_mask(VPROC, ALL), 0);
	if (!getenv("UPCALL_INJECT"))		/* which doubles what asks for a turn */
		test_nothing_comes();
	test_it_unblocks();
	CHECK_IS(upcall_reports_mask(VPROC, 0), ALL);
	CHECK_IS(upcall_reports_open(NULL, NULL), 0);
}
