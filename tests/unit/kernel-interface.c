// SPDX-License-Identifier: BSD-2-Clause
/*
 * <upcall/kernel.h>, which others compile, says what src/bpf/abi.h, which the kernel half and the runtime compile,
 * says: each constant, and each field's place and size.  That neither has a field which the other lacks is told by
 * the sizes, and by the spare ones, which are compared, too.
 */
#include <stddef.h>
#include <string.h>
#include <upcall/kernel.h>

#include "bpf/abi.h"
#include "harness.h"

#define SAME(public, ours) _Static_assert((unsigned long)(public) == (unsigned long)(ours), #public)
#define SAME_SIZE(public, ours) SAME(sizeof(struct public), sizeof(struct ours))
#define IS_SIGNED(tag, field) ((__typeof__(((struct tag *)0)->field))-1 < 1)
#define SAME_FIELD(public, public_field, ours, our_field) \
	SAME(offsetof(struct public, public_field), offsetof(struct ours, our_field)); \
	SAME(sizeof(((struct public *)0)->public_field), sizeof(((struct ours *)0)->our_field))
#define SAME_NUMBER(public, public_field, ours, our_field) \
	SAME_FIELD(public, public_field, ours, our_field); \
	SAME(IS_SIGNED(public, public_field), IS_SIGNED(ours, our_field))

SAME(UPCALL_KERNEL_VERSION, ABI_VERSION);
SAME(UPCALL_KERNEL_MAGIC, ABI_MAGIC);
SAME(UPCALL_KERNEL_PRCTL, ABI_PRCTL);
SAME(UPCALL_KERNEL_SLOTS, ABI_FIRST_VPROC);
SAME(UPCALL_KERNEL_SLOTS + UPCALL_KERNEL_VPROCS, ABI_SLOTS);
SAME(UPCALL_KERNEL_VPROCS, ABI_VPROCS);
SAME(UPCALL_KERNEL_WARN_MAX_US, ABI_WARN_MAX_US);
SAME(UPCALL_KERNEL_GRACE_US, ABI_GRACE_US);
SAME(UPCALL_KERNEL_BPF, ABI_BPF);
SAME(UPCALL_KERNEL_SCHED_EXT, ABI_SCX);
SAME(UPCALL_KERNEL_NONE, ABI_NONE);
SAME(UPCALL_KERNEL_RUNNING, ABI_RUNNING);
SAME(UPCALL_KERNEL_PREEMPTED, ABI_PREEMPTED);
SAME(UPCALL_KERNEL_BLOCKED, ABI_BLOCKED);
SAME(UPCALL_KERNEL_UNBLOCKED, ABI_UNBLOCKED);

SAME_SIZE(upcall_kernel_slot, abi_slot);
SAME_NUMBER(upcall_kernel_slot, state, abi_slot, state);
SAME_NUMBER(upcall_kernel_slot, seq, abi_slot, seq);
SAME_NUMBER(upcall_kernel_slot, life, abi_slot, life);
SAME_NUMBER(upcall_kernel_slot, cpu, abi_slot, cpu);
SAME_NUMBER(upcall_kernel_slot, call, abi_slot, call);
SAME_NUMBER(upcall_kernel_slot, nblocks, abi_slot, nblocks);
SAME_NUMBER(upcall_kernel_slot, in_ns, abi_slot, in_ns);
SAME_NUMBER(upcall_kernel_slot, block_ns, abi_slot, block_ns);
SAME_NUMBER(upcall_kernel_slot, wake_ns, abi_slot, wake_ns);
SAME_NUMBER(upcall_kernel_slot, lent, abi_slot, lent);
SAME_NUMBER(upcall_kernel_slot, npreempts, abi_slot, npreempts);
SAME_NUMBER(upcall_kernel_slot, preempt_ns, abi_slot, preempt_ns);

SAME_SIZE(upcall_kernel_vproc, abi_vproc);
SAME_NUMBER(upcall_kernel_vproc, running, abi_vproc, token);
SAME_NUMBER(upcall_kernel_vproc, visitors, abi_vproc, visitors);
SAME_NUMBER(upcall_kernel_vproc, warn_ns, abi_vproc, warn_ns);
SAME_NUMBER(upcall_kernel_vproc, owes, abi_vproc, owes);
SAME_NUMBER(upcall_kernel_vproc, nwarnings, abi_vproc, nwarnings);
SAME_NUMBER(upcall_kernel_vproc, nforced, abi_vproc, nforced);
SAME_NUMBER(upcall_kernel_vproc, noverlaps, abi_vproc, noverlaps);
SAME_FIELD(upcall_kernel_vproc, spare, abi_vproc, spare);

/* abi.h has no structure for the page: vprocs are in its slots. */
SAME(sizeof(struct upcall_kernel_page), ABI_PAGE_BYTES);
SAME(sizeof(struct upcall_kernel_slot), ABI_PAGE_BYTES / ABI_SLOTS);
SAME(sizeof(struct upcall_kernel_vproc), ABI_PAGE_BYTES / ABI_SLOTS);
SAME(offsetof(struct upcall_kernel_page, slot), 0);
SAME(offsetof(struct upcall_kernel_page, vproc), ABI_FIRST_VPROC * sizeof(struct abi_slot));

SAME_SIZE(upcall_kernel_vproc_control, abi_vproc_control);
SAME_NUMBER(upcall_kernel_vproc_control, owner, abi_vproc_control, owner);
SAME_NUMBER(upcall_kernel_vproc_control, successor, abi_vproc_control, spare);
SAME_NUMBER(upcall_kernel_vproc_control, want, abi_vproc_control, want);
SAME_NUMBER(upcall_kernel_vproc_control, nopreempt, abi_vproc_control, nopreempt);
SAME_NUMBER(upcall_kernel_vproc_control, warn_us, abi_vproc_control, warn_us);
SAME_FIELD(upcall_kernel_vproc_control, spare, abi_vproc_control, spares);

SAME_SIZE(upcall_kernel_control, abi_control);
SAME_FIELD(upcall_kernel_control, vproc, abi_control, vproc);
SAME_FIELD(upcall_kernel_control, vproc_of, abi_control, vproc_of);
SAME_FIELD(upcall_kernel_control, vproc_of[0], abi_control, vproc_of[0]);
SAME_FIELD(upcall_kernel_control, critical_at, abi_control, critical_at);
SAME_FIELD(upcall_kernel_control, critical_at[0], abi_control, critical_at[0]);
SAME_FIELD(upcall_kernel_control, critical_offset, abi_control, critical_offset);

SAME(UPCALL_KERNEL_SHARE, ABI_SHARE);
SAME(UPCALL_KERNEL_SHARE_STALE_NS, ABI_SHARE_STALE_NS);
SAME_SIZE(upcall_kernel_share, abi_share);
SAME_NUMBER(upcall_kernel_share, wanted, abi_share, wanted);
SAME_NUMBER(upcall_kernel_share, given, abi_share, given);
SAME_NUMBER(upcall_kernel_share, process_ns, abi_share, process_ns);
SAME_NUMBER(upcall_kernel_share, upcalld_ns, abi_share, daemon_ns);
SAME_FIELD(upcall_kernel_share, spare, abi_share, spare);

SAME_SIZE(upcall_kernel_hello, abi_hello);
SAME_NUMBER(upcall_kernel_hello, magic, abi_hello, magic);
SAME_NUMBER(upcall_kernel_hello, version, abi_hello, version);
SAME_NUMBER(upcall_kernel_hello, sources, abi_hello, sources);
SAME_NUMBER(upcall_kernel_hello, spare, abi_hello, spare);

SAME_SIZE(upcall_kernel_welcome, abi_welcome);
SAME_NUMBER(upcall_kernel_welcome, magic, abi_welcome, magic);
SAME_NUMBER(upcall_kernel_welcome, version, abi_welcome, version);
SAME_NUMBER(upcall_kernel_welcome, error, abi_welcome, error);
SAME_NUMBER(upcall_kernel_welcome, sources, abi_welcome, sources);
SAME_NUMBER(upcall_kernel_welcome, token, abi_welcome, token);
SAME_NUMBER(upcall_kernel_welcome, page_bytes, abi_welcome, page_bytes);
SAME_FIELD(upcall_kernel_welcome, text, abi_welcome, text);

int main(void)
{
	CHECK(strcmp(UPCALL_KERNEL_SOCKET, ABI_SOCKET) == 0);
	return 0;
}
