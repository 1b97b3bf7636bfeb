// SPDX-License-Identifier: BSD-2-Clause
/* What observe.c asks beside /proc's list of threads: calls.c, starts.c, disks.c. */
#ifndef UPCALL_CLI_ADVISE_OBSERVE_H
#define UPCALL_CLI_ADVISE_OBSERVE_H

#include "advise.h"

/*
 * What a thread waits for in this call, and a name that lasts; `first` is the call's first argument.  A number
 * of -1 is a page fault.
 */
enum wait_kind call_kind(pid_t pid, long number, unsigned long first, const char **ret_name);

/* Every thread that the process and its children start, told by the kernel; false: it does not. */
bool starts_open(pid_t pid);
void starts_read(void);				/* often enough that nothing is lost */
/* False: some were lost, or fewer were told than `*started` says already, which stays as it is then. */
bool starts_close(double *started);

/* The time since the first in which the busiest of the disks was busy. */
void disks_begin(void);
double disks_busy_s(void);

#endif
