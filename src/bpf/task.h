/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the programs use of the kernel's own structures, and no more: offsets come from the running
 * kernel's BTF when the programs are loaded, so that no kernel's headers are needed to build them.
 */
#ifndef UPCALL_BPF_TASK_H
#define UPCALL_BPF_TASK_H

#include <stdbool.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "abi.h"

struct task_struct {
	int pid, tgid;
	unsigned int __state;
} __attribute__((preserve_access_index));

/* Of the thread's way into the kernel: the number of its system call, or -1. */
struct pt_regs {
	unsigned long orig_ax;
} __attribute__((preserve_access_index));

struct bpf_map {
	unsigned int id;
} __attribute__((preserve_access_index));

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} __attribute__((preserve_access_index));

struct bpf_iter__bpf_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
} __attribute__((preserve_access_index));

enum { TASK_DEAD = 0x80, CALL_SCHED_YIELD = 24 };

#endif
