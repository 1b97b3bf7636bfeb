// SPDX-License-Identifier: BSD-2-Clause
/*
 * The runtime as others see it: the table that tools read (include/upcall/page.h), the summary at
 * exit, which prints the same counters, and what a program asks about itself
 * (include/upcall/stats.h).  This room looks into every other; none looks into it but the start and
 * the end of the process.
 */
#ifndef UPCALL_TRACE_PAGE_H
#define UPCALL_TRACE_PAGE_H

#include <upcall/page.h>

extern struct upcall_page upcall_page;

#pragma GCC visibility push(hidden)
/* How many vprocs may run, and how many have work (upcall_registers). */
void page_given(unsigned n);
void page_wanted(unsigned n);
/* Who tells of blocked kernel threads, from now on. */
void page_source(const char *name);
/* What a counter or gauge of this process stands at. */
uint64_t page_read(const struct upcall_entry *e);
/* At load: reads UPCALL_STATS (a file name, or "-"). */
void stats_init(void);
/* Writes them, once, if they are wanted: when the process ends in whatever way it says itself. */
void stats_at_exit(void);
#pragma GCC visibility pop

#endif
