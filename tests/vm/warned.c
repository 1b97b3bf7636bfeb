// SPDX-License-Identifier: BSD-2-Clause
/*
 * warned MS: a thread that computes for so long, alone on its vproc, beside other processes that want the processor: the
 * kernel warns it before its turns end, by an interrupt and in a register.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <upcall/page.h>
#include <upcall/reports.h>
#include <upcall/upcall.h>

static const volatile struct upcall_registers *r;
static atomic_uint told, told_in_time;

static void note(const struct upcall_report *event, void *arg)
{
	(void)arg;
	if (event->kind != UPCALL_REPORT_WARNING)
		return;
	told++;
	told_in_time += upcall_now() < upcall_register_warning(r);
}

static void *wait_for_end(void *arg)
{
	upcall_park();
	return arg;
}

int main(int argc, char **argv)
{
	uint64_t end_ns = upcall_now() + 1000000 * (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000), last_ns = 0;
	unsigned seen = 0;
	upcall_t other;			/* with it the runtime starts */

	r = upcall_registers();
	if (upcall_reports_open(note, NULL) || upcall_reports_warn(UPCALL_REPORT_WARN_MAX_US) < 0 ||
	    upcall_create(&other, NULL, wait_for_end, NULL))
		return 1;
	while (upcall_now() < end_ns) {
		uint64_t turn_ends_ns = upcall_register_warning(r);

		if (turn_ends_ns > last_ns && upcall_now() < turn_ends_ns) {
			last_ns = turn_ends_ns;
			seen++;
		}
	}
	upcall_unpark(other);
	upcall_join(other, NULL);
	printf("told of %u ends of turns, of %u in time; %u were in the register in time\n", told, told_in_time, seen);
	return told_in_time < 3 || seen < 3;
}
