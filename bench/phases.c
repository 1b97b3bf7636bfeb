// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the two-minute warning was worth in Psyche (Marsh et al. 1991, section 6.2): a worker for each
 * processor, 200 phases of 210 tasks of 2.5 ms each on 16 processors.  Whoever ends the last task of a phase
 * makes those of the next one; who finds none left spins until it does.  So a worker that loses its
 * processor amid a task keeps all others waiting until it has it again.  A worker that is warned before,
 * and gives the processor away between two tasks, keeps nobody waiting.
 *
 * Beside the workers there are, for each processor, as many processes that compute and know of nothing as
 * make the *level* of multiprocessing 1 (none), 2 and 3.  They are children of this one that end with it, and by
 * themselves when their time is up.
 *
 * Who would have to warn is the kernel's scheduler, so only sched_ext does.  On the system of that name
 * workers and competitors are kernel threads, and vprocs, as upcall-kernel(7) has it: they have turns of 20 ms, and
 * a worker asks before each task whether its own is about to end.  On other systems nobody knows.  There turns are
 * to take 100 ms, as in the paper: a kernel that lets threads say so (since 6.12) is told.
 *
 * For each processor there are as many tasks as the paper's had.
 */
#include "psyche.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../include/upcall/kernel.h"
#include "../src/arch/arch.h"
#include "../src/sys/admit.h"
#include "spin.h"
#include "threads.h"

enum {
	PHASES = 200, FEW_PHASES = 10, TASKS = 210, PAPER_CPUS = 16, TASK_NS = 2500000, TURN_NS = 100000000,
	WARN_US = 3000, LEVELS = 3, CPUS_MAX = UPCALL_KERNEL_VPROCS, COMPETE_S = 300, SCHED_EXT_CLASS = 7,
};

static const uint64_t whole_ns = 500000000;	/* who has less time makes few phases */

/* Seconds, without the warning and with it. */
static const double paper_s[2][LEVELS] = { { 8.50, 40.1, 61.6 }, { 8.58, 16.0, 23.8 } };

static unsigned cpus[CPUS_MAX], ncpus;
static unsigned nphases, ntasks;		/* ntasks: of a phase */
static unsigned task_spins;
static barrier begin;

/* Tasks have no names: those below `taken` are, those below `made` may be. */
static struct {
	atomic_uint made, taken, done;
} tasks;
/* By the first worker and the last one: whoever waits for them may wait for a processor, too. */
static _Atomic uint64_t began_ns, ended_ns;

/* ---- vprocs, with sched_ext ---- */

static volatile struct upcall_kernel_page *page;	/* NULL: on this system there is no such thing */
static volatile struct upcall_kernel_control *control;
static uint64_t token;

static void be_admitted(void)
{
	struct abi_welcome welcome;
	int fds[2], err = admit_ask(UPCALL_KERNEL_BPF | UPCALL_KERNEL_SCHED_EXT, 2000, &welcome, fds);

	if (err || !(welcome.sources & UPCALL_KERNEL_SCHED_EXT)) {
		note("nobody warns before a turn ends: %s",
		     err ? strerror(-err) : "this kernel lets upcalld load no scheduler (sched_ext)");
		exit(EXIT_SKIP);
	}
	token = welcome.token;
	page = mmap(NULL, sizeof(*page), PROT_READ, MAP_SHARED, fds[0], 0);
	control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0);
	if (page == MAP_FAILED || control == MAP_FAILED)
		die("mmap: %s", strerror(errno));
}

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("processor %u: %s", cpu, strerror(errno));
}

/* The caller becomes the one activation of the vproc, on that processor. */
static void become_vproc(unsigned vproc, unsigned cpu)
{
	struct sched_param none = { 0 };
	unsigned slot = vproc + 1;
	uint32_t life = page->slot[slot].life;

	pin(cpu);
	control->vproc_of[slot] = (uint8_t)vproc;
	control->vproc[vproc].owner = slot + 1;
	for (int i = 0; i < 10 && page->slot[slot].life == life; i++)
		if (prctl(UPCALL_KERNEL_PRCTL, slot, token, 0, 0) && page->slot[slot].life == life)
			usleep(1000);
	if (page->slot[slot].life == life)
		die("vproc %u is not registered", vproc);
	if (syscall(SYS_sched_setscheduler, 0, SCHED_EXT_CLASS | SCHED_RESET_ON_FORK, &none))
		die("SCHED_EXT: %s", strerror(errno));
}

/* Once for each warning: where the kernel has ended the scheduler, the last one stays. */
static bool is_warned(unsigned vproc, uint32_t *seen)
{
	uint32_t n = page->vproc[vproc].nwarnings;
	bool is_new = n != *seen && page->vproc[vproc].warn_ns;

	*seen = n;
	return is_new;
}

static void ask_for_warnings(bool is_asked)
{
	for (unsigned i = 0; i < ncpus; i++)
		control->vproc[i].warn_us = is_asked ? WARN_US : 0;
}

/* ---- the workers ---- */

static bool take_task(void)
{
	unsigned next = atomic_load(&tasks.taken);

	while (next < atomic_load(&tasks.made))
		if (atomic_compare_exchange_weak(&tasks.taken, &next, next + 1))
			return true;
	return false;
}

static void end_task(void)
{
	unsigned done = atomic_fetch_add(&tasks.done, 1) + 1;

	if (done == nphases * ntasks)
		atomic_store(&ended_ns, now_ns());
	else if (done == atomic_load(&tasks.made))
		atomic_fetch_add(&tasks.made, ntasks);
}

static void *work(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	uint32_t warnings = page ? page->vproc[me].nwarnings : 0;
	uint64_t nobody = 0;

	if (page)
		become_vproc(me, cpus[me]);
	barrier_wait(&begin);
	atomic_compare_exchange_strong(&began_ns, &nobody, now_ns());
	while (atomic_load(&tasks.done) < nphases * ntasks) {
		if (atomic_load(&tasks.taken) == atomic_load(&tasks.made)) {
			spin_pause();
		} else if (page && is_warned(me, &warnings)) {
			sched_yield();
		} else if (take_task()) {
			spin(task_spins);
			end_task();
		}
	}
	return NULL;
}

/* Seconds, as of all of the paper's phases. */
static double run_phases(void)
{
	thread workers[CPUS_MAX];

	atomic_store(&tasks.taken, 0);
	atomic_store(&tasks.done, 0);
	atomic_store(&tasks.made, ntasks);
	atomic_store(&began_ns, 0);
	barrier_init(&begin, ncpus);
	for (unsigned i = 0; i < ncpus; i++)
		workers[i] = thread_start(work, (void *)(uintptr_t)i, 0, 0);
	for (unsigned i = 0; i < ncpus; i++)
		thread_join(workers[i]);
	return (double)(ended_ns - began_ns) / 1e9 * PHASES / nphases;
}

/* ---- the competitors ---- */

void compete(const struct bench_args *args, unsigned cpu)
{
	pid_t parent = getppid();

	alarm((unsigned)(args->length_ns / 1000000000u));
	pin(cpu);
	if (!strcmp(args->system, "sched_ext")) {
		be_admitted();
		become_vproc(0, cpu);
	}
	puts("ready");
	fflush(stdout);
	while (getppid() == parent)
		spin(100000);
	exit(0);
}

static struct {
	pid_t pids[CPUS_MAX * (LEVELS - 1)];
	unsigned n;
} competitors;

/* This program again, but past Upcall. */
static _Noreturn void become_competitor(unsigned cpu)
{
	char path[4096], name[32], seconds[32];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = 0;
	snprintf(name, sizeof(name), "compete-%u", cpu);
	snprintf(seconds, sizeof(seconds), "%d", COMPETE_S);
	unsetenv("LD_PRELOAD");
	execl(path, path, name, seconds, page ? "sched_ext" : "-", (char *)NULL);
	_exit(127);
}

static void start_competitor(unsigned cpu)
{
	int ends[2];
	char byte;

	if (pipe(ends))
		die("pipe: %s", strerror(errno));
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid == 0) {
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		become_competitor(cpu);
	}
	competitors.pids[competitors.n++] = pid;
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		die("a competitor did not begin");
	close(ends[0]);
}

/* One more for each processor. */
static void add_competitors(void)
{
	for (unsigned i = 0; i < ncpus; i++)
		start_competitor(cpus[i]);
}

static void end_competitors(void)
{
	for (unsigned i = 0; i < competitors.n; i++)
		kill(competitors.pids[i], SIGKILL);
	for (unsigned i = 0; i < competitors.n; i++)
		waitpid(competitors.pids[i], NULL, 0);
	competitors.n = 0;
}

/* ---- the measurement ---- */

/* For this thread and all that come of it; past the C library, for it is of the kernel's threads.  False: not here. */
static bool set_turns(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = { .size = sizeof(attr), .runtime = TURN_NS };

	if (arch_syscall3(SYS_sched_setattr, 0, (long)&attr, 0))
		return false;
	memset(&attr, 0, sizeof(attr));
	return arch_syscall4(SYS_sched_getattr, 0, (long)&attr, sizeof(attr), 0) == 0 && attr.runtime == TURN_NS;
}

/* And how much longer it took than without competitors: with a warning, within 10 % of the level. */
static void put_times(bool is_warned_of, const double seconds[LEVELS])
{
	const char *whose = is_warned_of ? "with the warning" : "no warning", *prefix = is_warned_of ? "warned-" : "";
	const double *there = paper_s[is_warned_of];
	char name[32];

	for (int level = 1; level <= LEVELS; level++) {
		snprintf(name, sizeof(name), "%slevel-%d", prefix, level);
		put(name, seconds[level - 1], "s");
		paper(name, there[level - 1], "s", whose);
	}
	for (int level = 2; level <= LEVELS; level++) {
		snprintf(name, sizeof(name), "%sslowdown-%d", prefix, level);
		put(name, seconds[level - 1] / seconds[0], "times");
		paper(name, there[level - 1] / there[0], "times", whose);
		if (is_warned_of)
			bound(name, 1.1 * level, "times", "at-most");
	}
}

/* What the warning is worth, and what it costs where nobody competes. */
static void put_worth(const double plain[LEVELS], const double warned[LEVELS])
{
	char name[32];

	for (int level = 2; level <= LEVELS; level++) {
		snprintf(name, sizeof(name), "gain-%d", level);
		put(name, plain[level - 1] / warned[level - 1], "times");
		paper(name, paper_s[0][level - 1] / paper_s[1][level - 1], "times", "the warning");
		bound(name, 2, "times", "at-least");
	}
	put("cost", 100 * (warned[0] / plain[0] - 1), "%");
	paper("cost", 100 * (paper_s[1][0] / paper_s[0][0] - 1), "%", "the warning");
	bound("cost", 1, "%", "at-most");
}

static void find_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		die("sched_getaffinity: %s", strerror(errno));
	for (unsigned cpu = 0; cpu < CPU_SETSIZE && ncpus < CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[ncpus++] = cpu;
}

static void init(const struct bench_args *args)
{
	if (!strcmp(args->system, "sched_ext"))
		be_admitted();
	find_cpus();
	ntasks = (TASKS * ncpus + PAPER_CPUS / 2) / PAPER_CPUS;
	nphases = args->length_ns < whole_ns ? FEW_PHASES : PHASES;
	task_spins = (unsigned)((uint64_t)spins_in_100_ns(now_ns) * TASK_NS / 100);
	note("phases of %u tasks on %u processors, as of %d on the paper's %d", ntasks, ncpus, TASKS, PAPER_CPUS);
	if (nphases < PHASES)
		note("%u phases, the times made into those of %d", nphases, PHASES);
	if (page)
		note("turns of 20 ms, not of %d", TURN_NS / 1000000);
	else if (!set_turns())
		note("the kernel gives turns of its own length, not of %d ms", TURN_NS / 1000000);
	if (!page)
		note("nobody warns before a turn ends; where the kernel did, the paper has %.2f, %.1f and %.1f s",
		     paper_s[1][0], paper_s[1][1], paper_s[1][2]);
}

void measure_phases(const struct bench_args *args)
{
	double plain[LEVELS], warned[LEVELS];

	init(args);
	for (int level = 0; level < LEVELS; level++) {
		if (level)
			add_competitors();
		plain[level] = run_phases();
		if (page) {
			ask_for_warnings(true);
			warned[level] = run_phases();
			ask_for_warnings(false);
		}
	}
	end_competitors();
	put_times(false, plain);
	if (page) {
		put_times(true, warned);
		put_worth(plain, warned);
	}
}
