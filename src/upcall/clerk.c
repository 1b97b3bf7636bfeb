// SPDX-License-Identifier: BSD-2-Clause
/*
 * The clerk: a kernel thread that opens files for the runtime, where the program cannot see it.
 *
 * Whoever opens a file takes the lowest free descriptor for a moment; a program that expects that one
 * for itself, or closes all it does not know, must not meet it.  The clerk unshares the table of
 * descriptors first thing, with nothing in it, and from then on opens perf's events (not at once: source_events_are_due),
 * sets alarms, reads /proc and the quota.  Nobody waits for it: an activation is looked at the slow way until its events are there;
 * an answer about a block is used the next time that somebody asks.
 *
 * Where that is refused (Linux before 5.9, a filter, a limit of processes) all do it themselves.
 * Order:
 *   clerk.bell  asker: set a bit of errands, set bell; clerk: clear bell, look at all errands
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include "../sys/probe.h"
#include "source.h"

enum { CLOSE_UNSHARED = 2 };	/* CLOSE_RANGE_UNSHARE */
enum { NONE, STARTING, WORKS };	/* what is asked while it starts waits for it */

static struct au32 state, bell, quota_asked, idle_asked, share_asked, keeps_queues;
static struct au64 quota;		/* in thousandths of a CPU, as last read */
int clerk_tid;

bool clerk_is_there(void)
{
	return load_acquire(&state) != NONE;
}

static void ring(void)
{
	if (xchg_seq_cst(&bell, 1) == 0)	/* pairs: clerk.bell */
		sys_futex_wake(&bell, 1);
}

void clerk_ask(struct activation *a, enum errand errand)
{
	if (load_relaxed(&sched_is_confined))
		return;
	fetch_or(&a->errands, errand);
	ring();
}

uint64_t clerk_quota(void)
{
	if (load_relaxed(&sched_is_confined))
		return load_acquire(&quota);
	if (!clerk_is_there()) {
		store_release(&quota, probe_quota_milli_cpus());
		return load_relaxed(&quota);
	}
	store_seq_cst(&quota_asked, 1);
	ring();
	return load_acquire(&quota);
}

void clerk_ask_idle(void)
{
	if (load_relaxed(&sched_is_confined))
		return;
	if (!clerk_is_there()) {
		cpus_look();
		return;
	}
	store_seq_cst(&idle_asked, 1);
	ring();
}

/* Without a clerk not at all: the program might meet the socket. */
void clerk_ask_share(void)
{
	if (!clerk_is_there() || load_relaxed(&sched_is_confined))
		return;
	store_seq_cst(&share_asked, 1);
	ring();
}

static void look(struct activation *a)
{
	uint64_t cpu_ns = sys_thread_cpu_ns(a->tid);

	/* It may wake at once, and run: then its CPU time is another. */
	if (sys_is_blocked(a->tid))
		store_release(&a->blocked_cpu_ns, cpu_ns);
	else
		store_release(&a->is_seen_running, 1);
}

/* Until events are due they are asked for again: what is to be done now. */
static uint32_t take_errands(struct activation *a, bool events_are_due)
{
	uint32_t errands = load_relaxed(&a->errands) ? fetch_and(&a->errands, 0) : 0, later = ERRAND_ATTACH | ERRAND_ALARM;

	if (events_are_due || !(errands & later))
		return errands;
	fetch_or(&a->errands, errands & later);
	return errands & ~later;
}

/*
 * Under the lock, so that no activation becomes another meanwhile.  But for the alarms, which ask for nothing that would
 * harm another, and may wait for a processor's answer: the monitor wants that lock.
 */
static void run_errands(bool events_are_due)
{
	enum { ALARMS = 16 };
	struct activation *alarms[ALARMS];
	unsigned nalarms = 0;

	lock_take(&sched.all_lock);
	for (struct list *l = sched.activations.next; l != &sched.activations; l = l->next) {
		struct activation *a = container_of(l, struct activation, all_link);
		uint32_t errands = take_errands(a, events_are_due);

		if (!errands || !load_acquire(&a->alive))
			continue;
		if (errands & ERRAND_ATTACH)
			source_attach_for(a);
		if (errands & ERRAND_LOOK)
			look(a);
		if (errands & ERRAND_END_ALARM)
			alarm_unset(a);
		else if ((errands & ERRAND_ALARM) && nalarms < ALARMS)
			alarms[nalarms++] = a;
		else if (errands & ERRAND_ALARM)
			clerk_ask(a, ERRAND_ALARM);	/* in the next round */
	}
	lock_drop(&sched.all_lock);
	while (nalarms)
		alarm_set(alarms[--nalarms]);
	if (xchg_seq_cst(&quota_asked, 0))
		store_release(&quota, probe_quota_milli_cpus());
	if (xchg_seq_cst(&idle_asked, 0))
		cpus_look();
	if (xchg_seq_cst(&share_asked, 0))
		share_ask();
}

void clerk_keep_queues(void)
{
	store_seq_cst(&keeps_queues, 1);
	while (load_acquire(&state) == STARTING)
		sys_yield();
}

/* Whose copy is closed, by any thread of the process, notifies the process no more: those stay open here, too. */
static long close_all_but_queues(void)
{
	enum { MQUEUE_MAGIC = 0x19800202, LOOKED_AT = 1 << 16 };
	struct statfs of;
	long err = arch_syscall1(SYS_unshare, CLONE_FILES);

	if (err)
		return err;
	for (long fd = 0; fd < LOOKED_AT; fd++)
		if (arch_syscall2(SYS_fstatfs, fd, (long)&of) == 0 && of.f_type != MQUEUE_MAGIC)
			arch_syscall1(SYS_close, fd);
	arch_syscall3(SYS_close_range, LOOKED_AT, -1L & UINT32_MAX, 0);
	return 0;		/* there is no way back: to end would close the queues */
}

static void clerk_main(void *arg)
{
	(void)arg;
	if ((load_seq_cst(&keeps_queues) ? close_all_but_queues()
					 : arch_syscall3(SYS_close_range, 0, -1L & UINT32_MAX, CLOSE_UNSHARED)) == 0) {
		store_release(&state, WORKS);
		for (bool were_due = false;;) {
			uint64_t due_ns = source_events_due_ns();
			bool are_due = now_ns() >= due_ns;

			store_seq_cst(&bell, 0);	/* pairs: clerk.bell */
			if (strange_begin()) {
				if (are_due && !were_due)
					source_warm_up();
				run_errands(are_due);
				strange_end();
			}
			were_due = are_due;
			sys_futex_wait(&bell, 0, are_due ? NEVER : due_ns);
		}
	}
	clerk_tid = 0;
	store_release(&state, NONE);
	fetch_add(&source_generation, 1);	/* who asked for events opens them itself */
	arch_syscall1(SYS_exit, 0);
}

void clerk_start(void)
{
	uint32_t none = NONE;

	if (cas_seq_cst(&state, &none, STARTING) && helper_create(HELPER_CLERK, &clerk_tid, clerk_main) != 0)
		store_release(&state, NONE);
}

void clerk_fork_child(void)
{
	store_relaxed(&state, NONE);
	clerk_tid = 0;
}
