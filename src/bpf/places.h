/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Where a registered thread is to be told of.  Both objects of programs use these two maps. */
#ifndef UPCALL_BPF_PLACES_H
#define UPCALL_BPF_PLACES_H

#include "task.h"

struct place {
	__u32 process;			/* index in `pages` */
	__u32 slot;
	__u32 life;
	__u32 seat;			/* scx.bpf.c: its vproc's index + 1 */
	__u32 is_new;			/* and it has not run there yet */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct place);
} places SEC(".maps");

struct page {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ABI_SLOTS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));	/* by size: clang leaves inner maps' types incomplete */
	__uint(value_size, sizeof(struct abi_slot));
};

/* The daemon puts a fresh page in when it admits a process, and takes it out when that has ended. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, ABI_PROCESSES);
	__type(key, __u32);
	__array(values, struct page);
} pages SEC(".maps");

#endif
