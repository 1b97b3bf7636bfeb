// SPDX-License-Identifier: BSD-2-Clause
/*
 * bpf: programs that upcalld has put into the kernel write a line of memory for each activation, at
 * each switch and wake-up.  How one is admitted and registered: bpf/abi.h.
 *
 * Whether they still do is asked of the monitor's own line: when the kernel has counted one more block of
 * the monitor's, and its line has not changed, they do not.  No time limit would do: where a machine is slow,
 * a nap of any length may be over before it has begun.
 */
#include <errno.h>
#include <linux/prctl.h>
#include <sys/mman.h>

#include "../bpf/abi.h"
#include "../sys/admit.h"
#include "source.h"

enum { MONITORS_SLOT = 0 };

static struct {
	APTR(const struct abi_slot) page;
	uint64_t token;
	struct au32 last_slot;		/* given to an activation; each keeps its own for good */
	uint32_t monitors_seq;
	long monitors_blocks;		/* as the kernel counts them, when that was monitors_seq */
	bool has_monitor;		/* it is registered */
	enum { NOBODY, BPF, SCX } user;	/* which source uses the page */
	bool is_fresh;			/* scx asked for it, and does not use it: for bpf */
} bpf;

static int take_page(const struct abi_welcome *welcome, int fd)
{
	const struct abi_slot *page = load_relaxed(&bpf.page);
	long map = sys_map_file(page, ABI_PAGE_BYTES, PROT_READ, fd);

	if (map < 0 && map > -4096)
		return (int)map;
	arch_syscall3(SYS_madvise, map, ABI_PAGE_BYTES, MADV_DONTFORK);
	bpf.token = welcome->token;
	bpf.has_monitor = false;
	store_release(&bpf.page, (const struct abi_slot *)map);
	return 0;
}

static int ask(uint32_t sources, unsigned patience_ms, int *ret_control_fd)
{
	struct abi_welcome welcome;
	int fds[2];
	int err = admit_ask(sources, patience_ms, &welcome, fds);

	if (err)
		return err;
	err = welcome.sources & ABI_BPF ? take_page(&welcome, fds[0]) : -ENOTSUP;
	arch_syscall1(SYS_close, fds[0]);
	if (err && fds[1] >= 0)
		arch_syscall1(SYS_close, fds[1]);
	else
		*ret_control_fd = fds[1];
	return err;
}

static int start(unsigned patience_ms)
{
	int fd = -1, err = bpf.user == SCX ? -EALREADY : 0;

	if (!err && !bpf.is_fresh)
		err = ask(ABI_BPF, patience_ms, &fd);
	if (fd >= 0)
		arch_syscall1(SYS_close, fd);
	bpf.is_fresh = false;
	if (!err)
		bpf.user = BPF;
	return err;
}

int bpf_start_with_scheduler(unsigned patience_ms, int *ret_control_fd, const struct abi_slot **ret_page)
{
	/* To be admitted again would end what this process has now. */
	int err = bpf.user == BPF ? -EALREADY : ask(ABI_BPF | ABI_SCX, patience_ms, ret_control_fd);

	if (err)
		return err;
	bpf.is_fresh = true;
	*ret_page = load_relaxed(&bpf.page);
	return *ret_control_fd < 0 ? -ENOTSUP : 0;
}

void bpf_keep_for_scheduler(void)
{
	bpf.is_fresh = false;
	bpf.user = SCX;
}

const struct abi_slot *bpf_page(void)
{
	return load_acquire(&bpf.page);
}

/* The kernel may be short of a moment or of memory for it: then again. */
enum { TRIES = 5 };

static int enlist(uint32_t number, const struct abi_slot **ret_slot)
{
	const struct abi_slot *page = load_acquire(&bpf.page);

	if (!page || number >= ABI_FIRST_VPROC)
		return -ENOSPC;
	const volatile struct abi_slot *slot = page + number;
	uint32_t life = slot->life;

	for (int i = 0; i < TRIES && slot->life == life; i++) {
		if (i)
			sys_nap(NS_PER_MS);
		arch_syscall5(SYS_prctl, ABI_PRCTL, number, (long)bpf.token, 0, 0);
	}
	if (slot->life == life)
		return -ESRCH;
	*ret_slot = page + number;
	return 0;
}

static int attach(struct activation *a, bool is_self)
{
	const struct abi_slot *slot = NULL;

	if (!is_self)
		return -EPERM;
	if (!a->slot_number)
		a->slot_number = fetch_add(&bpf.last_slot, 1) + 1;
	int err = enlist(a->slot_number, &slot);

	if (!err)
		store_release(&a->slot, slot);
	return err;
}

static void detach(struct activation *a)
{
	(void)a;		/* the slot's next user, or the thread's end, ends it */
}

static uint32_t state_of(struct activation *a)
{
	return __atomic_load_n(&load_relaxed(&a->slot)->state, __ATOMIC_ACQUIRE);
}

static bool is_blocked(struct activation *a)
{
	return state_of(a) == ABI_BLOCKED;
}

static uint64_t in_since(struct activation *a)
{
	return state_of(a) == ABI_RUNNING ? __atomic_load_n(&load_relaxed(&a->slot)->in_ns, __ATOMIC_RELAXED) : 0;
}

static uint64_t blocked_since(struct activation *a)
{
	return is_blocked(a) ? __atomic_load_n(&load_relaxed(&a->slot)->block_ns, __ATOMIC_RELAXED) : 0;
}

unsigned bpf_preemptions(struct activation *a)
{
	uint32_t n = __atomic_load_n(&load_relaxed(&a->slot)->npreempts, __ATOMIC_RELAXED), before = a->preempts_seen;

	a->preempts_seen = n;
	return n > before ? n - before : 0;	/* registered anew, it begins at 0 */
}

/* If it blocks in here, the next look says so. */
static void note_monitor(void)
{
	bpf.monitors_seq = __atomic_load_n(&load_relaxed(&bpf.page)[MONITORS_SLOT].seq, __ATOMIC_ACQUIRE);
	bpf.monitors_blocks = sys_blocks();
}

static bool still_tells(void)
{
	long blocks = sys_blocks();
	const struct abi_slot *slot;

	if (!bpf.has_monitor)
		bpf.has_monitor = enlist(MONITORS_SLOT, &slot) == 0;
	else if (blocks == bpf.monitors_blocks)
		return true;
	else if (__atomic_load_n(&load_relaxed(&bpf.page)[MONITORS_SLOT].seq, __ATOMIC_ACQUIRE) == bpf.monitors_seq)
		return false;
	note_monitor();
	return bpf.has_monitor;
}

static bool is_alive(void)
{
	bool tells = still_tells();

	if (!tells)
		bpf.user = NOBODY;
	return tells;
}

static void fork_child(void)
{
	if (!load_relaxed(&bpf.page))
		return;
	bpf.user = NOBODY;
	bpf.is_fresh = false;
	store_relaxed(&bpf.page, NULL);		/* the mapping was not copied */
	bpf.has_monitor = false;
}

const struct source source_bpf = {
	.name = "bpf", .switch_name = "bpf", .start = start, .attach = attach, .detach = detach,
	.is_blocked = is_blocked, .in_since = in_since, .blocked_since = blocked_since,
	.bound_ns = NS_PER_MS, .preemptions = bpf_preemptions, .is_alive = is_alive, .fork_child = fork_child,
};
