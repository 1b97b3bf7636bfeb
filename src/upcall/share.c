// SPDX-License-Identifier: BSD-2-Clause
/*
 * How many vprocs the process is to run, by upcalld, where that shares the processors out (bpf/abi.h, abi_share).  The
 * monitor writes how many there is work for, and reads how many are given: memory, no call.  That goes into the limit of
 * affinity and quota (limits_follow): vprocs beyond it are preempted as those are whose processor is taken
 * away.  Who says how many it wants (--vprocs) has those.
 *
 * Without an answer, with an old one, or under sched_ext, where vprocs of several processes take turns on each
 * processor, there is no such limit.
 */
#include <errno.h>
#include <sys/mman.h>

#include "../bpf/abi.h"
#include "../sys/admit.h"
#include "source.h"

enum { PATIENCE_MS = 200, PAGE_BYTES = 4096 };
static const uint64_t retry_min_ns = NS_PER_S, retry_max_ns = 16 * NS_PER_S;

static APTR(struct abi_share) page;
static bool is_wanted;
static unsigned limit;			/* the monitor's; 0: none */
static uint64_t retry_at_ns, retry_ns;

void share_configure(bool is_allowed)
{
	is_wanted = is_allowed;
}

unsigned share_limit(void)
{
	return limit;
}

/* By the clerk, which has descriptors of its own. */
void share_ask(void)
{
	struct abi_share *before = load_relaxed(&page);
	struct abi_welcome welcome;
	int fds[2];

	if (admit_ask(ABI_SHARE, PATIENCE_MS, &welcome, fds))
		return;
	long map = welcome.sources == ABI_SHARE ? sys_map_file(before, PAGE_BYTES, PROT_READ | PROT_WRITE, fds[0]) : -EPROTO;

	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			arch_syscall1(SYS_close, fds[i]);
	if (map < 0 && map > -4096)
		return;
	arch_syscall3(SYS_madvise, map, PAGE_BYTES, MADV_DONTFORK);
	store_release(&page, (struct abi_share *)map);
}

static unsigned read_given(const struct abi_share *p, uint64_t now)
{
	uint64_t told = __atomic_load_n(&p->daemon_ns, __ATOMIC_ACQUIRE);

	return told + ABI_SHARE_STALE_NS > now ? __atomic_load_n(&p->given, __ATOMIC_RELAXED) : 0;
}

static void ask_again(uint64_t now)
{
	if (now < retry_at_ns)
		return;
	retry_ns = !retry_ns ? retry_min_ns : retry_ns < retry_max_ns ? 2 * retry_ns : retry_ns;
	retry_at_ns = now + retry_ns;
	clerk_ask_share();
}

bool share_tick(uint64_t now, unsigned wanted)
{
	struct abi_share *p = load_acquire(&page);
	unsigned before = limit;

	if (!is_wanted || sched.fixed_vprocs || load_relaxed(&sched_is_confined))
		return false;
	limit = 0;
	if (p) {
		__atomic_store_n(&p->wanted, wanted < sched.allowed ? wanted : sched.allowed, __ATOMIC_RELAXED);
		__atomic_store_n(&p->process_ns, now, __ATOMIC_RELEASE);
		limit = read_given(p, now);
	}
	if (limit)
		retry_ns = 0;
	else
		ask_again(now);
	if (sched.keeps_cpus)
		limit = 0;
	return limit != before;
}

/* Whatever is wanted from now on is said when the monitor wakes up. */
void share_rest(void)
{
	struct abi_share *p = load_acquire(&page);

	if (p)
		__atomic_store_n(&p->wanted, 0, __ATOMIC_RELAXED);
}

void share_fork_child(void)
{
	store_relaxed(&page, NULL);		/* the mapping was not copied */
	limit = 0;
	retry_at_ns = retry_ns = 0;
}
