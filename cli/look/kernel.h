// SPDX-License-Identifier: BSD-2-Clause
/* What the kernel says of a process's kernel threads and descriptors: /proc. */
#ifndef UPCALL_LOOK_KERNEL_H
#define UPCALL_LOOK_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kernel_call {
	bool is_known;		/* /proc said something */
	bool is_blocked;	/* in the kernel, waiting */
	long number;		/* -1: blocked, but in no system call (a page fault) */
	uint64_t args[6], sp, pc;
};

void kernel_call(pid_t pid, int tid, struct kernel_call *ret_call);
/* How it waits there: 'S', 'D' (not to be interrupted), ...; the kernel's function, "" where that is hidden. */
struct kernel_wait {
	char state, function[64];
};
void kernel_wait(pid_t pid, int tid, struct kernel_wait *ret_wait);
/* "flock", or NULL. */
const char *kernel_call_name(long number);
/* Is the call's first argument a descriptor? */
bool kernel_call_has_fd(const char *name);
uint64_t kernel_cpu_ns(pid_t pid, int tid);	/* UINT64_MAX: not known */
/* What /proc/PID/fd/FD points to; sockets with their addresses where they are found. */
void kernel_fd_name(pid_t pid, int fd, char *buf, size_t size);
/* The names of sockets are remembered until this. */
void kernel_forget_sockets(void);
/*
 * A process in a PID namespace of its own calls its kernel threads by other numbers than we do.  As it was at the last
 * kernel_forget_tids; one that is not found is as it was given.
 */
int kernel_tid_here(pid_t pid, int there);
int kernel_tid_there(pid_t pid, int here);
void kernel_forget_tids(void);
bool kernel_has_task(pid_t pid, int tid);
void kernel_task_name(pid_t pid, int tid, char *buf, size_t size);
/* Fills in at most `room` tids, sorted; returns how many these are, or -1. */
int kernel_tasks(pid_t pid, int *tids, int room);

#endif
