// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tells of registered kernel threads when they get a processor, lose it, block, and are woken.
 *
 * A registered thread carries its place (which page, which slot) in its own task structure, so that
 * any other thread costs a look there, at each switch and wake-up.
 *
 * Order of the reports on one thread: the switch happens under the lock of its run queue, and a
 * wake-up that comes in amid of it is either reported under that same lock, when the thread turns
 * out not to have blocked, or waits until it is off its processor.  So BLOCKED comes before UNBLOCKED.
 */
#include "places.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/*
 * Found by the token alone, which only that process has: pids differ between the daemon and a process
 * in a namespace.  The first to register says which thread group it is; the child of a fork is another.
 */
struct admission {
	__u32 process;
	__u32 tgid;			/* 0: nobody yet */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ABI_PROCESSES);
	__type(key, __u64);		/* the token */
	__type(value, struct admission);
} admitted SEC(".maps");

static __u32 last_life;

/* A thread whose slot has got a new life since is not told of any more. */
static __always_inline struct abi_slot *slot_of(struct task_struct *p)
{
	struct place *at = bpf_task_storage_get(&places, p, NULL, 0);

	if (!at)
		return NULL;
	void *page = bpf_map_lookup_elem(&pages, &at->process);

	if (!page)
		return NULL;
	struct abi_slot *slot = bpf_map_lookup_elem(page, &at->slot);

	return slot && slot->life == at->life ? slot : NULL;
}

static __always_inline void change(struct abi_slot *slot, __u32 state)
{
	slot->state = state;
	slot->seq++;
}

static __always_inline void note_block(struct abi_slot *slot, struct task_struct *p, __u64 now)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(p);

	slot->call = (__s32)regs->orig_ax;
	slot->block_ns = now;
	slot->nblocks++;
	change(slot, ABI_BLOCKED);
}

/* What it gave up by a yield is not lost; what a thread of its own process got it may have back in a moment. */
static __always_inline void note_preemption(struct abi_slot *slot, struct task_struct *p, struct task_struct *next,
					    __u64 now)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(p);

	if (regs->orig_ax != CALL_SCHED_YIELD) {
		slot->preempt_ns = now;
		if (next->tgid == p->tgid)
			slot->lent = 1;
		else
			slot->npreempts++;
	}
	change(slot, ABI_PREEMPTED);
}

static __always_inline void note_return(struct abi_slot *slot, __u64 now)
{
	if (slot->lent && now - slot->preempt_ns > ABI_LENT_NS)
		slot->npreempts++;
	slot->lent = 0;
	slot->cpu = bpf_get_smp_processor_id();
	slot->in_ns = now;
	change(slot, ABI_RUNNING);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct abi_slot *from = slot_of(prev), *to = slot_of(next);

	if (!from && !to)
		return 0;
	__u64 now = bpf_ktime_get_ns();		/* once: the next thread waits meanwhile */

	if (from) {
		/* 0 also when a signal kept it from blocking. */
		__u32 state = prev->__state;

		if (state & TASK_DEAD)
			change(from, ABI_NONE);
		else if (preempt || !state)
			note_preemption(from, prev, next, now);
		else
			note_block(from, prev, now);
	}
	if (to)
		note_return(to, now);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *p)
{
	struct abi_slot *slot = slot_of(p);

	if (slot && slot->state == ABI_BLOCKED) {
		slot->wake_ns = bpf_ktime_get_ns();
		change(slot, ABI_UNBLOCKED);
	}
	return 0;
}

/* What it executes is another program, perhaps with other rights: whoever still has the page is not told of that. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *p)
{
	struct abi_slot *slot = slot_of(p);
	struct place *at = bpf_task_storage_get(&places, p, NULL, 0);

	if (slot)
		change(slot, ABI_NONE);
	if (!at)
		return 0;
	at->slot = ABI_SLOTS;		/* there is no such slot */
	at->seat = 0;
	return 0;
}

static __always_inline void enlist(__u64 number, __u64 token)
{
	struct task_struct *me = bpf_get_current_task_btf();
	__u32 index = number;
	struct admission *process = bpf_map_lookup_elem(&admitted, &token);

	if (!process || number >= ABI_FIRST_VPROC)
		return;
	if (!process->tgid)
		process->tgid = me->tgid;
	if (process->tgid != me->tgid)
		return;
	void *page = bpf_map_lookup_elem(&pages, &process->process);

	if (!page)
		return;
	struct abi_slot *slot = bpf_map_lookup_elem(page, &index);
	struct place *at = bpf_task_storage_get(&places, me, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!slot || !at)
		return;
	if (at->process != process->process || at->slot != index)
		at->seat = 0;
	at->process = process->process;
	at->slot = index;
	at->life = __sync_fetch_and_add(&last_life, 1) + 1;
	slot->cpu = bpf_get_smp_processor_id();
	slot->in_ns = bpf_ktime_get_ns();
	slot->nblocks = 0;
	slot->npreempts = slot->lent = 0;
	slot->state = ABI_RUNNING;
	slot->seq++;
	slot->life = at->life;
}

/* Since Linux 6.14 there is a place for just that. */
SEC("?tp_btf/task_prctl_unknown")
int BPF_PROG(on_prctl, int option, unsigned long number, unsigned long token)
{
	if (option == ABI_PRCTL)
		enlist(number, token);
	return 0;
}

/* Before: the security hook that each prctl passes first. */
SEC("?fentry/security_task_prctl")
int BPF_PROG(on_prctl_hook, int option, unsigned long number, unsigned long token)
{
	if (option == ABI_PRCTL)
		enlist(number, token);
	return 0;
}

/* For the daemon: the ids of all maps that somebody holds. */
SEC("iter/bpf_map")
int list_maps(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *map = ctx->map;

	if (!map)
		return 0;
	__u32 id = map->id;

	bpf_seq_write(ctx->meta->seq, &id, sizeof(id));
	return 0;
}
