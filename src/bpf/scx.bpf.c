// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The scheduler of registered kernel threads, where the kernel lets one be loaded (sched_ext).
 *
 * A vproc of an admitted process is run by one activation at a time: it has the vproc's *token*.  All
 * others of that vproc that want to run are *held*: the kernel counts them as runnable, but nothing
 * lets them onto a processor.  So when the owner blocks, the spare is there, and the same switch that
 * takes the owner off its processor puts the spare on; and an activation that wakes up is known at
 * once (its slot says UNBLOCKED, the vproc counts it in `visitors`), but runs no instruction before
 * its turn comes.
 *
 * Who gets the token, when it is free:
 *   1. the one that the process wants now (control.want)
 *   2. the owner, as the process says (control.owner)
 *   3. the spare (control.spare), which finds the owner blocked, and takes the vproc over
 *   4. a visitor: any other, to find out that it lost its vproc, and to say what its thread has got
 * An owner that yields or has used up its turn lets in 1 and 4, up to 16 one after another; anybody
 * else who does lets in 1, 2, 3, 4.  When no visitor has had a turn for 20 ms the next one comes first, and a spare
 * or owner that has been held for two seconds gets a turn as well, among them or without any, so that the kernel's
 * watchdog has nothing to object to and a process that is idle can put its spares to bed.  So whatever a process
 * writes, each of its threads goes on now and then: it can spoil its own order and nothing else.
 *
 * Vprocs take turns on their processor.  Before a turn ends because another vproc waits, the owner is
 * warned (`warn_ns`, as long before as the process asked); if it says then that it must not be
 * preempted it goes on, is told that it owes, and is preempted only after the grace.  Who lets it
 * come to that is not asked for a second.
 *
 * Rejected: telling the kernel's owner and the runtime's apart.  Two words for one fact would have to
 * be reconciled when this scheduler is ejected; as it is, an ejected one leaves a process with spares
 * that yield in a loop, which is how they work without it.
 *
 * What is not registered but in this class has turns between those of vprocs, in order of arrival.
 * What the kernel runs in its normal class goes before all of this class.
 */
#include "places.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Of the kernel. */
enum { SCX_TASK_QUEUED = 1, SCX_OPS_SWITCH_PARTIAL = 8 };
#define SCX_DSQ_LOCAL (1ULL << 63 | 2)
#define SCX_SLICE_INF (~0ULL)

struct sched_ext_entity {
	__u32 flags;
	__u64 slice;
} __attribute__((preserve_access_index));

struct task_struct___scx {
	struct sched_ext_entity scx;
} __attribute__((preserve_access_index));

enum scx_exit_kind { SCX_EXIT_NONE };

struct scx_exit_info {
	enum scx_exit_kind kind;
	const char *reason;
	char *msg;
} __attribute__((preserve_access_index));

__s32 scx_bpf_create_dsq(__u64 dsq_id, __s32 node) __ksym;
void scx_bpf_dsq_insert(struct task_struct *p, __u64 dsq_id, __u64 slice, __u64 enq_flags) __ksym;
bool scx_bpf_dsq_move_to_local(__u64 dsq_id) __ksym;
__s32 scx_bpf_task_cpu(const struct task_struct *p) __ksym;
struct task_struct *bpf_task_from_pid(__s32 pid) __ksym;
void bpf_task_release(struct task_struct *p) __ksym;

#define MS 1000000ULL
#define TICK (4 * MS)			/* at most, on kernels of distributions */
#define TURN (20 * MS)
#define VISIT (4 * MS)			/* of a spare or visitor, while somebody better waits */
#define ROTATE_MS 2000
#define LOOK (200 * MS)
#define BAN (1000 * MS)

enum { VPS = 1024, CPUS = 1024, NOBODY = 1024, TRIES = 8, VISITS_MAX = 16 };
enum { STRANGERS = 1 };			/* the queue of those that are not registered; the kernel's own would come first */

/* Of numbers below 1024.  `any` has a bit for each word that is perhaps not 0. */
struct set {
	__u64 any;
	__u64 word[16];
};

/* Private to this scheduler.  All activations of a vproc are pinned to one processor, whose lock is held. */
struct vp {
	struct set held;		/* of slots */
	__u32 nheld;
	__u32 token;			/* slot + 1 of the one in the kernel's queue or on the processor */
	__u32 token_cpu;
	__u32 process, number;
	__u32 at;			/* the slot of the last visitor */
	__u32 visits;			/* so many visitors may come before the owner now */
	__u32 is_warned;
	__u64 on_ns;			/* since when the one with the token runs */
	__u64 used_ns;			/* before that, in this turn */
	__u64 given_ns;			/* that, when the one with the token got it */
	__u64 visit_ns;			/* when a visitor last had a turn */
	__u64 look_ns;			/* when it was last asked whether the spare or the owner is held for long */
	__u64 ban_ns;			/* until then nothing is deferred */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, VPS);
	__type(key, __u32);
	__type(value, struct vp);
} vps SEC(".maps");

/*
 * Whose bits are set in vp.held, by the pid of the kernel, and since when (ms).  Not found by way of the page: a
 * process that is admitted anew gets another, and whom the old one named would be held for ever.
 */
struct name {
	__u32 pid, since_ms;
};

struct names {
	struct name of[ABI_FIRST_VPROC];	/* by slot */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, VPS);
	__type(key, __u32);
	__type(value, struct names);
} names SEC(".maps");

struct cpu {
	struct set pending;		/* vprocs with somebody held on this CPU, or lately */
	__u32 last;			/* the vproc that last began a turn here */
	__u32 is_strangers;		/* a vproc had the last turn */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CPUS);
	__type(key, __u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

/* Written by the daemon: where in `vps` a process's vprocs are. */
struct range {
	__u32 base, count;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ABI_PROCESSES);
	__type(key, __u32);
	__type(value, struct range);
} ranges SEC(".maps");

struct control {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));	/* by size, as in places.h */
	__uint(value_size, sizeof(struct abi_control));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, ABI_PROCESSES);
	__type(key, __u32);
	__array(values, struct control);
} controls SEC(".maps");

/* Why it ended, for the daemon's log. */
__s32 exit_kind;
char exit_reason[64], exit_message[128];

/* One activation and its place, looked up once for each call from the kernel. */
struct seat {
	struct place *at;
	void *page;			/* the process's */
	struct abi_slot *slot;
	struct vp *vp;
};

static __always_inline struct abi_control *control_of(__u32 process)
{
	__u32 zero = 0;
	void *map = bpf_map_lookup_elem(&controls, &process);

	return map ? bpf_map_lookup_elem(map, &zero) : NULL;
}

static __always_inline struct abi_vproc *report_of(struct vp *vp)
{
	void *page = bpf_map_lookup_elem(&pages, &vp->process);
	__u32 number = ABI_FIRST_VPROC + vp->number;

	return page ? bpf_map_lookup_elem(page, &number) : NULL;
}

/* false: it has none, or its slot is another's by now. */
static __always_inline bool find_seat(struct task_struct *p, struct seat *s)
{
	s->at = bpf_task_storage_get(&places, p, NULL, 0);
	if (!s->at || !s->at->seat)
		return false;
	s->page = bpf_map_lookup_elem(&pages, &s->at->process);
	if (!s->page)
		return false;
	s->slot = bpf_map_lookup_elem(s->page, &s->at->slot);
	if (!s->slot || s->slot->life != s->at->life)
		return false;
	__u32 index = s->at->seat - 1;

	s->vp = bpf_map_lookup_elem(&vps, &index);
	return s->vp;
}

/* What its process is told of its vproc. */
static __always_inline struct abi_vproc *report_at(struct seat *s)
{
	__u32 number = ABI_FIRST_VPROC + s->vp->number;

	return bpf_map_lookup_elem(s->page, &number);
}

/*
 * What follows with __noinline is not static: so the verifier looks at each function once, and not
 * again for every way in which it can be come to, which are millions.
 */
__noinline int first_bit(__u64 bits)
{
	int n = 0;

	if (!(bits & 0xffffffff)) { n += 32; bits >>= 32; }
	if (!(bits & 0xffff)) { n += 16; bits >>= 16; }
	if (!(bits & 0xff)) { n += 8; bits >>= 8; }
	if (!(bits & 0xf)) { n += 4; bits >>= 4; }
	if (!(bits & 0x3)) { n += 2; bits >>= 2; }
	return n + !(bits & 1);
}

__noinline int set_has(struct set *s, __u32 i)
{
	return s && i < NOBODY && s->word[i / 64 % 16] >> (i % 64) & 1;
}

/* 1: it was not in it. */
__noinline int set_add(struct set *s, __u32 i)
{
	__u64 bit = 1ULL << (i % 64);

	if (!s)
		return 0;
	__u64 old = __sync_fetch_and_or(&s->word[i / 64 % 16], bit);

	__sync_fetch_and_or(&s->any, 1ULL << (i / 64 % 16));
	return !(old & bit);
}

/* 1: it was in it. */
__noinline int set_remove(struct set *s, __u32 i)
{
	__u64 bit = 1ULL << (i % 64);

	if (!s)
		return 0;
	__u64 old = __sync_fetch_and_and(&s->word[i / 64 % 16], ~bit);

	if (old == bit) {
		__sync_fetch_and_and(&s->any, ~(1ULL << (i / 64 % 16)));
		if (s->word[i / 64 % 16])	/* since just now */
			__sync_fetch_and_or(&s->any, 1ULL << (i / 64 % 16));
	}
	return (old & bit) != 0;
}

/* The next from i on, round; or NOBODY. */
__noinline __u32 set_next(struct set *s, __u32 i)
{
	if (!s)
		return NOBODY;
	__u32 w = i / 64 % 16;
	__u64 bits = s->word[w] & ~0ULL << (i % 64);

	if (!bits) {
		__u64 after = s->any & ~1ULL << w & 0xffff;
		__u64 any = after ? after : s->any & 0xffff;

		if (!any)
			return NOBODY;
		w = first_bit(any) & 15;
		bits = s->word[w];
	}
	return bits ? w * 64 + (first_bit(bits) & 63) : NOBODY;
}

static __always_inline struct vp *vp_at(__u32 index)
{
	return bpf_map_lookup_elem(&vps, &index);
}

static __always_inline volatile struct abi_vproc_control *wishes_of(struct vp *vp)
{
	struct abi_control *control = control_of(vp->process);

	return control ? &control->vproc[vp->number % ABI_VPROCS] : NULL;
}

/* The held ones that are neither the owner nor the spare. */
static __always_inline int others(struct vp *vp, __u32 owner, __u32 spare)
{
	int n = vp->nheld;

	if (n && owner && set_has(&vp->held, owner - 1))
		n--;
	if (n && spare && spare != owner && set_has(&vp->held, spare - 1))
		n--;
	return n;
}

/* Counts them, and says so. */
__noinline int visitors(__u32 index)
{
	struct vp *vp = vp_at(index);

	if (!vp)
		return 0;
	volatile struct abi_vproc_control *c = wishes_of(vp);
	struct abi_vproc *r = report_of(vp);

	if (!c || !r)
		return 0;
	int n = others(vp, c->owner, c->spare);

	r->visitors = n;
	return n;
}

/* Whom slot's bit stands for. */
static __always_inline struct name *name_of(__u32 index, __u32 slot)
{
	struct names *n = bpf_map_lookup_elem(&names, &index);

	if (!n || slot >= ABI_FIRST_VPROC)
		return NULL;
	asm volatile("" : "+r"(n));	/* nothing is added to it before it is known to be there */
	return &n->of[slot];
}

/* false: another thread is held in that slot, for which the process has registered two. */
static __always_inline bool hold(struct seat *s, __u32 pid, __u32 cpu)
{
	__u32 index = s->at->seat - 1, slot = s->at->slot;
	struct cpu *c = bpf_map_lookup_elem(&cpus, &cpu);
	struct name *name = name_of(index, slot);

	if (!c || !name || (set_has(&s->vp->held, slot) && name->pid != pid))
		return false;
	name->pid = pid;
	name->since_ms = bpf_ktime_get_ns() / MS;
	if (set_add(&s->vp->held, slot))
		__sync_fetch_and_add(&s->vp->nheld, 1);
	set_add(&c->pending, index);
	visitors(index);
	return true;
}

static __always_inline bool let_go(struct vp *vp, __u32 slot)
{
	if (!set_has(&vp->held, slot) || !set_remove(&vp->held, slot))
		return false;
	__sync_fetch_and_add(&vp->nheld, -1);
	return true;
}

/* p does not want to run here any more; its registration may be another's by now. */
static __always_inline void not_held(struct task_struct *p, struct place *at)
{
	__u32 index = at->seat - 1, slot = at->slot;

	asm volatile("" : "+r"(slot));		/* the one that is checked is the one that is used */
	struct vp *vp = vp_at(index);
	struct name *name = name_of(index, slot);

	if (vp && name && name->pid == (__u32)p->pid && let_go(vp, slot))
		visitors(index);
}

static __always_inline void give_up_token(struct seat *s)
{
	if (s->vp->token == s->at->slot + 1)
		s->vp->token = 0;
}

/* Which vproc it is of: the process says so, and may say otherwise each time. */
static __always_inline bool take_seat(struct task_struct *p, struct seat *s)
{
	struct place *at = bpf_task_storage_get(&places, p, NULL, 0);

	if (!at)
		return false;
	__u32 process = at->process, slot = at->slot;

	asm volatile("" : "+r"(slot));		/* the one that is checked is the one that is used */
	if (slot >= ABI_FIRST_VPROC)
		return false;
	struct range *range = bpf_map_lookup_elem(&ranges, &process);
	struct abi_control *control = control_of(process);

	if (!range || !control)
		return false;
	__u64 both = *(volatile __u64 *)range;		/* the daemon may be about to change it */
	__u32 base = both, count = both >> 32;

	if (!count)
		return false;
	__u32 number = ((volatile struct abi_control *)control)->vproc_of[slot] % count;
	__u32 index = base + number;

	if (at->seat != index + 1) {
		if (find_seat(p, s))
			give_up_token(s);
		struct vp *vp = bpf_map_lookup_elem(&vps, &index);

		if (!vp)
			return false;
		vp->process = process;
		vp->number = number;
		at->seat = index + 1;
		at->is_new = 1;
	}
	return find_seat(p, s);
}

SEC("struct_ops/select_cpu")
int BPF_PROG(upcall_select_cpu, struct task_struct *p, int prev_cpu, __u64 flags)
{
	return prev_cpu;
}

SEC("struct_ops/enqueue")
void BPF_PROG(upcall_enqueue, struct task_struct *p, __u64 flags)
{
	struct seat s;

	if (take_seat(p, &s)) {
		give_up_token(&s);
		if (hold(&s, p->pid, scx_bpf_task_cpu(p)))
			return;
	}
	scx_bpf_dsq_insert(p, STRANGERS, TURN, flags);
}

/*
 * It leaves this class.  Whatever else takes it out of the kernel's queue needs no word: it blocks, which is told
 * (stopping), or is queued anew under the same lock (enqueue).
 */
SEC("struct_ops/disable")
void BPF_PROG(upcall_disable, struct task_struct *p)
{
	struct place *at = bpf_task_storage_get(&places, p, NULL, 0);
	struct seat s;

	if (!at || !at->seat)
		return;
	not_held(p, at);
	if (find_seat(p, &s))
		give_up_token(&s);
}

static __always_inline void end_slice(struct task_struct *p)
{
	((struct task_struct___scx *)p)->scx.slice = 0;
}

SEC("struct_ops/running")
void BPF_PROG(upcall_running, struct task_struct *p)
{
	struct seat s;

	if (!find_seat(p, &s))
		return;
	struct abi_vproc *r = report_at(&s);
	bool is_new = s.at->is_new;

	s.at->is_new = 0;
	if (s.vp->token && s.vp->token != s.at->slot + 1) {
		/* It comes from the kernel's normal class, where it has just preempted the other. */
		end_slice(p);
		if (r && !is_new)
			r->noverlaps++;
		return;
	}
	s.vp->token = s.at->slot + 1;
	s.vp->token_cpu = bpf_get_smp_processor_id();
	s.vp->on_ns = bpf_ktime_get_ns();
	if (r)
		r->token = s.at->slot + 1;
}

/*
 * The held activation in `slot` gets the token and the processor, if it is there.  1: it has, and if it was a
 * visitor the caller counts them again.
 */
__noinline int give(__u32 index, __u32 slot, __u32 cpu)
{
	struct vp *vp = vp_at(index);

	if (!vp || slot >= ABI_FIRST_VPROC || !set_has(&vp->held, slot))
		return 0;
	struct name *name = name_of(index, slot);
	struct task_struct *p = name ? bpf_task_from_pid(name->pid) : NULL;

	if (!p) {
		let_go(vp, slot);
		return 0;
	}
	int is_here = (__u32)scx_bpf_task_cpu(p) == cpu;

	if (is_here) {
		let_go(vp, slot);
		vp->token = slot + 1;
		vp->token_cpu = cpu;
		vp->given_ns = vp->used_ns;
		scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, SCX_SLICE_INF, 0);
	}
	bpf_task_release(p);
	return is_here;
}

/* For those that a process names its owner or its spare, in turn or for ever, and does not let run. */
__noinline int give_if_held_for_long(__u32 index, __u32 slot, __u32 cpu, __u32 now_ms)
{
	struct name *name = name_of(index, slot);

	return name && (__s32)(now_ms - name->since_ms) > ROTATE_MS && give(index, slot, cpu);
}

/* The next visitor; or whom the process calls something else at this moment, and has not let run for long. */
__noinline int give_to_visitor(__u32 index, __u32 owner, __u32 spare, __u32 cpu, __u32 now_ms)
{
	for (int i = 0; i < TRIES; i++) {
		struct vp *vp = vp_at(index);

		if (!vp || !vp->nheld)
			return 0;
		__u32 slot = set_next(&vp->held, vp->at + 1);

		if (slot == NOBODY)
			return 0;
		vp->at = slot;
		bool is_visitor = slot + 1 != owner && slot + 1 != spare;

		if (is_visitor ? give(index, slot, cpu) : give_if_held_for_long(index, slot, cpu, now_ms)) {
			vp->visit_ns = bpf_ktime_get_ns();
			visitors(index);
			return 1;
		}
	}
	return 0;
}

/*
 * Who of a vproc is next, when `prev` (slot + 1, or 0) still wants to run and another may have a turn.  It is `now`, or
 * somewhat later.
 */
__noinline int pass_on(__u32 index, __u32 prev, __u32 cpu, __u64 now)
{
	struct vp *vp = vp_at(index);

	if (!vp || !vp->nheld)
		return 0;
	volatile struct abi_vproc_control *c = wishes_of(vp);

	if (!c)
		return 0;
	__u32 want = c->want, owner = c->owner, spare = c->spare;
	int n = others(vp, owner, spare);

	if (n && (__s64)(now - vp->visit_ns) > (__s64)TURN && give_to_visitor(index, owner, spare, cpu, now / MS))
		return 1;
	if ((__s64)(now - vp->look_ns) > (__s64)LOOK) {
		vp->look_ns = now;
		if ((spare && give_if_held_for_long(index, spare - 1, cpu, now / MS)) ||
		    (owner && give_if_held_for_long(index, owner - 1, cpu, now / MS))) {
			visitors(index);
			return 1;
		}
	}
	if (want && want != prev && give(index, want - 1, cpu)) {
		visitors(index);
		return 1;
	}
	if (prev && prev == owner) {
		visitors(index);
		vp->visits = n > VISITS_MAX ? VISITS_MAX : n;
		return n && give_to_visitor(index, owner, spare, cpu, now / MS);
	}
	if (vp->visits) {
		vp->visits--;
		if (n && give_to_visitor(index, owner, spare, cpu, now / MS))
			return 1;
	}
	if (owner && give(index, owner - 1, cpu))
		return 1;
	if (spare && spare != prev && give(index, spare - 1, cpu))
		return 1;
	return n ? give_to_visitor(index, owner, spare, cpu, now / MS) : 0;
}

__noinline int begin_turn(__u32 index, __u32 cpu)
{
	struct vp *vp = vp_at(index);
	struct cpu *here = bpf_map_lookup_elem(&cpus, &cpu);

	if (!vp || !here)
		return 0;
	struct abi_vproc *r = report_of(vp);

	here->last = index;
	here->is_strangers = 1;
	vp->used_ns = vp->given_ns = 0;
	vp->on_ns = bpf_ktime_get_ns();
	vp->is_warned = 0;
	if (r) {
		r->warn_ns = 0;
		r->owes = 0;
	}
	return 1;
}

/* The next vproc from `from` on with somebody held on this CPU, round the table; or NOBODY. */
static __always_inline __u32 next_pending(__u32 cpu, __u32 from)
{
	struct cpu *here = bpf_map_lookup_elem(&cpus, &cpu);

	return here ? set_next(&here->pending, from) : NOBODY;
}

/* One that holds nobody any more. */
static __always_inline void forget(__u32 cpu, __u32 index, struct vp *vp)
{
	struct cpu *here = bpf_map_lookup_elem(&cpus, &cpu);

	if (!here)
		return;
	set_remove(&here->pending, index);
	if (vp->nheld)		/* since just now */
		set_add(&here->pending, index);
}

struct search {
	__u32 cpu, at, mine;
	__u32 done;
};

static long try_vproc(__u32 i, struct search *s)
{
	__u32 index = next_pending(s->cpu, s->at + 1);
	struct vp *vp = vp_at(index);

	if (!vp)
		return 1;
	s->at = index;
	if (!vp->nheld)
		forget(s->cpu, index, vp);
	if (!vp->nheld || index == s->mine)
		return 0;
	/*
	 * A token that is neither in this CPU's queue, which is empty, nor running there, is lost.  Or it is
	 * on another CPU: who spreads a vproc over several has not understood it, but goes on.
	 */
	vp->token = 0;
	if (!pass_on(index, 0, s->cpu, bpf_ktime_get_ns()))
		return 0;
	begin_turn(index, s->cpu);
	s->done = 1;
	return 1;
}

SEC("struct_ops/dispatch")
void BPF_PROG(upcall_dispatch, int cpu, struct task_struct *prev)
{
	__u32 here = cpu, slot = 0;
	struct cpu *c = bpf_map_lookup_elem(&cpus, &here);
	/* Who lost the processor to the normal class as its turn ended is not `prev`: the next one is after it, too. */
	struct search search = { cpu, c ? c->last : 0, VPS, 0 };
	struct task_struct___scx *p = (void *)prev;
	struct seat s;

	bool goes_on = prev && p->scx.flags & SCX_TASK_QUEUED;
	bool is_ours = prev && find_seat(prev, &s);

	if (is_ours) {
		/* Who does not go on has just been stopped. */
		__u64 now = goes_on ? bpf_ktime_get_ns() : s.vp->on_ns, used = s.vp->used_ns + now - s.vp->on_ns;

		search.at = search.mine = s.at->seat - 1;
		slot = goes_on ? s.at->slot + 1 : 0;
		if (!goes_on && s.vp->token_cpu == (__u32)cpu)
			s.vp->token = 0;
		if (goes_on && s.vp->token == slot) {
			s.vp->used_ns = used;	/* it counts, whoever of its vproc is next */
			s.vp->on_ns = now;
		}
		if (used < TURN && (!s.vp->token || s.vp->token == slot) && pass_on(search.mine, slot, cpu, now))
			return;
	}
	if (c && c->is_strangers) {
		c->is_strangers = 0;
		if (scx_bpf_dsq_move_to_local(STRANGERS))
			return;
	}
	bpf_loop(VPS, try_vproc, &search, 0);
	if (search.done)
		return;
	if (!is_ours) {
		scx_bpf_dsq_move_to_local(STRANGERS);
		return;
	}
	begin_turn(search.mine, cpu);
	if ((!s.vp->token || s.vp->token == slot || s.vp->token_cpu != (__u32)cpu) &&
	    pass_on(search.mine, slot, cpu, bpf_ktime_get_ns()))
		return;
	if (goes_on)
		p->scx.slice = SCX_SLICE_INF;
}

/* One word of the process that runs; 0 where there is none. */
static __always_inline __u32 users_word(__u64 at)
{
	__u32 word = 0;

	bpf_probe_read_user(&word, sizeof(word), (void *)at);
	return word;
}

/* Amid something that others of its process would wait for, as its own memory says. */
static __always_inline bool is_critical(__u32 process, __u32 slot)
{
	struct abi_control *control = control_of(process);
	__u64 thing = 0;

	asm volatile("" : "+r"(slot));		/* the one that is checked is the one that is used */
	if (!control || slot >= ABI_FIRST_VPROC)
		return false;
	__u64 at = ((volatile struct abi_control *)control)->critical_at[slot];

	if (!at || bpf_probe_read_user(&thing, sizeof(thing), (void *)at) || !thing)
		return false;
	return users_word(thing + control->critical_offset[0]) || users_word(thing + control->critical_offset[1]);
}

/* The owner's turn is over in `left` ns, and somebody waits: true when it is to end now. */
static __always_inline bool end_of_turn(struct seat *s, volatile struct abi_vproc_control *c, __s64 left, __u64 now)
{
	struct abi_vproc *r = report_at(s);
	__u64 warn = c->warn_us * 1000ULL;

	if (!r)
		return left <= 0;
	if (warn > ABI_WARN_MAX_US * 1000ULL)
		warn = ABI_WARN_MAX_US * 1000ULL;
	if (warn && !s->vp->is_warned && left <= (__s64)(warn + TICK)) {
		s->vp->is_warned = 1;
		r->nwarnings++;
		r->warn_ns = now + (left > 0 ? left : 0);
	}
	if (left > 0)
		return false;
	if (now < s->vp->ban_ns || (!c->nopreempt && !is_critical(s->at->process, s->at->slot)))
		return true;
	r->owes = 1;
	if (left > -(__s64)(ABI_GRACE_US * 1000ULL))
		return false;
	s->vp->ban_ns = now + BAN;
	r->nforced++;
	return true;
}

static __always_inline bool has_rival(__u32 cpu, __u32 mine)
{
	__u32 other = next_pending(cpu, mine + 1);

	return other != NOBODY && other != mine;
}

static __always_inline bool is_turn_over(struct seat *s, __u64 now)
{
	__u64 used = s->vp->used_ns + now - s->vp->on_ns;
	volatile struct abi_vproc_control *c = wishes_of(s->vp);

	/* Its vproc runs elsewhere, too: these are that one's times. */
	if (s->vp->token != s->at->slot + 1 || s->vp->token_cpu != bpf_get_smp_processor_id())
		return true;
	if (!c)
		return false;
	if (c->owner != s->at->slot + 1)
		return used - s->vp->given_ns >= VISIT;
	if (visitors(s->at->seat - 1) || has_rival(bpf_get_smp_processor_id(), s->at->seat - 1))
		return end_of_turn(s, c, (__s64)(TURN - used), now);
	return used >= TURN;
}

/* It has no seat any more: it registered anew, or executed a program, in a turn that nobody else would end. */
static __always_inline void end_lost_turn(struct task_struct *p)
{
	if (((struct task_struct___scx *)p)->scx.slice == SCX_SLICE_INF)
		end_slice(p);
}

SEC("struct_ops/tick")
void BPF_PROG(upcall_tick, struct task_struct *prev)
{
	struct seat s;

	if (!find_seat(prev, &s))
		end_lost_turn(prev);
	else if (is_turn_over(&s, bpf_ktime_get_ns()))
		end_slice(prev);
}

/*
 * A turn ends here, too, when the kernel's normal class takes the processor: what wakes up at each tick, as a
 * monitor does, has it when the tick comes, which then is not told to this class.
 */
SEC("struct_ops/stopping")
void BPF_PROG(upcall_stopping, struct task_struct *p, bool runnable)
{
	struct seat s;

	if (!find_seat(p, &s)) {
		end_lost_turn(p);
		return;
	}
	struct abi_vproc *r = report_at(&s);
	__u64 now = bpf_ktime_get_ns();

	if (runnable && is_turn_over(&s, now))
		end_slice(p);
	if (s.vp->token != s.at->slot + 1)
		return;
	s.vp->used_ns += now - s.vp->on_ns;
	s.vp->on_ns = now;
	if (!runnable)
		s.vp->token = 0;
	if (r)
		r->token = 0;
}

SEC("struct_ops/init")
__s32 BPF_PROG(upcall_init)
{
	return scx_bpf_create_dsq(STRANGERS, -1);
}

static long end_reports(__u32 index, void *none)
{
	struct vp *vp = vp_at(index);
	struct abi_vproc *r = vp ? report_of(vp) : NULL;

	if (r)
		r->visitors = r->owes = r->warn_ns = r->token = 0;
	return 0;
}

/* All run on as ordinary threads: nobody is held. */
SEC("struct_ops/exit")
void BPF_PROG(upcall_exit, struct scx_exit_info *info)
{
	bpf_probe_read_kernel_str(exit_reason, sizeof(exit_reason), info->reason);
	bpf_probe_read_kernel_str(exit_message, sizeof(exit_message), info->msg);
	exit_kind = info->kind;
	bpf_loop(VPS, end_reports, NULL, 0);
}

struct sched_ext_ops {
	__s32 (*select_cpu)(struct task_struct *, __s32, __u64);
	void (*enqueue)(struct task_struct *, __u64);
	void (*dispatch)(__s32, struct task_struct *);
	void (*tick)(struct task_struct *);
	void (*running)(struct task_struct *);
	void (*stopping)(struct task_struct *, bool);
	void (*disable)(struct task_struct *);
	__s32 (*init)(void);
	void (*exit)(struct scx_exit_info *);
	__u64 flags;
	__u32 timeout_ms;
	char name[128];
};

SEC(".struct_ops")
struct sched_ext_ops upcall_ops = {
	.select_cpu = (void *)upcall_select_cpu,
	.enqueue = (void *)upcall_enqueue,
	.dispatch = (void *)upcall_dispatch,
	.tick = (void *)upcall_tick,
	.running = (void *)upcall_running,
	.stopping = (void *)upcall_stopping,
	.disable = (void *)upcall_disable,
	.init = (void *)upcall_init,
	.exit = (void *)upcall_exit,
	.flags = SCX_OPS_SWITCH_PARTIAL,
	.timeout_ms = 30000,
	.name = "upcall",
};
