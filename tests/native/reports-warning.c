// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread that computes, alone on its vproc, is interrupted by the warning that the vproc is about to be taken away, or
 * sees it in the registers; and it has as long from then on as the program has asked for.
 */
#include "affinity.h"

#include <stdatomic.h>
#include <upcall/page.h>
#include <upcall/reports.h>

enum { PATIENCE_S = 25, OTHER_VPROC = 1 };

static const volatile struct upcall_registers *r;
static atomic_uint warnings, in_time, strayed;
static atomic_ulong polled_in_time;
static atomic_bool is_over;

static void note(const struct upcall_report *event, void *arg)
{
	if (event->kind != UPCALL_REPORT_WARNING)
		return;
	if (upcall_register_vproc(r) != OTHER_VPROC || arg != &is_over)
		strayed++;
	in_time += upcall_now() < upcall_register_warning(r);
	warnings++;
}

static void *compute(void *arg)
{
	while (!is_over) {
		uint64_t end_ns = upcall_register_warning(r);

		if (upcall_register_vproc(r) == OTHER_VPROC && end_ns && upcall_now() < end_ns)
			polled_in_time++;
	}
	return arg;
}

static void await_given(unsigned n)
{
	for (uint64_t start = upcall_now(); r->vprocs_given != n; upcall_sleep(2 * MS))
		CHECK(upcall_now() - start < PATIENCE_S * 1000 * MS);
}

static void fail_in_vain(unsigned rounds)
{
	dprintf(2, "%u warnings in %u rounds, %u in time, %lu seen in the registers\n", warnings, rounds, in_time,
		polled_in_time);
	_exit(1);
}

/* Some are late on a busy machine. */
static void test_warned(const cpu_set_t *both, const cpu_set_t *one)
{
	unsigned rounds = 0;

	CHECK(upcall_reports_warn(UPCALL_REPORT_WARN_MAX_US) >= 0);
	for (uint64_t start = upcall_now(); in_time < 3 || !polled_in_time; rounds++) {
		if (upcall_now() - start > PATIENCE_S * 1000 * MS)
			fail_in_vain(rounds);
		let_all_run_on(one);
		await_given(1);
		upcall_sleep(20 * MS);
		let_all_run_on(both);
		await_given(2);
	}
	CHECK(warnings >= in_time);
}

static void test_never(const cpu_set_t *both, const cpu_set_t *one)
{
	unsigned before = warnings;

	CHECK_IS(upcall_reports_warn(0), UPCALL_REPORT_WARN_MAX_US);
	let_all_run_on(one);
	await_given(1);
	upcall_sleep(20 * MS);
	CHECK_IS(warnings, before);
	let_all_run_on(both);
	await_given(2);
}

static void test(void)
{
	int cpus[2];
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t[2];		/* so that one is on each vproc, whichever we are on */

	if (test_flags & UPCALL_NO_TLS)
		return;		/* such threads are never preempted */
	cpu_set_t both = keep_two_cpus(cpus), one = only(cpus[0]);

	r = upcall_registers();
	CHECK_IS(upcall_reports_open(note, &is_over), 0);
	if (upcall_vprocs() != 2) {
		printf("skip: not two vprocs\n");
		exit(SKIP);
	}
	attr.flags = UPCALL_ON_VPROC;
	for (int i = 0; i < 2; i++) {
		attr.vproc = (uint32_t)i;
		CHECK_IS(upcall_create(&t[i], &attr, compute, NULL), 0);
	}
	test_warned(&both, &one);
	test_never(&both, &one);
	is_over = true;
	join(t[0]);
	join(t[1]);
	CHECK_IS(upcall_reports_open(NULL, NULL), 0);
	CHECK_IS(strayed, 0);
}
