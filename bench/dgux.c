// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tables 2 to 6 of Alfieri's "An Efficient Kernel-Based Implementation of POSIX Threads" (1994),
 * DG/UX on a Motorola 88110 at 50 MHz.
 *
 *   table-2	entries into the kernel
 *   table-3	operations on local threads, each also as a multiple of a null system call
 *   table-4	to create a thread or a process and wait for its end
 *   table-5	a sleep and a wake-up, by what is slept on and what sleeps
 *   table-6	against two libraries of that time
 *
 * The paper's local threads stand beside Upcall's, its global threads beside bound ones and glibc's.
 * In each pair one thread (or process) does the operations and the other one answers; both are
 * counted, so a figure has one switch in it.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads.h"

enum { ROUNDS = 64, BATCH = 256 };

static uint64_t length_ns;
static bool is_glibc;

static void check(const char *what, bool is_right)
{
	if (!is_right)
		die("%s failed", what);
}

/* What two threads, or two processes, take turns by. */
static struct meeting {
	mutex lock;
	cond is_ours[2];
	mutex blocks[2][2];
	int semaphores;		/* of System V, one for each */
	int turn;		/* whose it is */
	unsigned turns_of[2];
	atomic_uint ready;
	atomic_bool is_over;
	double ns;
} *meeting;

/* A way to take turns; `prepare` is for what must be so before the first one. */
struct way {
	void (*prepare)(int me);
	bool (*take_turn)(int me);	/* whether it was over when this turn came */
};

static const struct way *way;

static void open_meeting(bool is_shared)
{
	meeting = mmap(NULL, sizeof(*meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check("mmap", meeting != MAP_FAILED);
	mutex_init(&meeting->lock, is_shared);
	for (int i = 0; i < 2; i++) {
		cond_init(&meeting->is_ours[i], is_shared);
		mutex_init(&meeting->blocks[i][0], is_shared);
		mutex_init(&meeting->blocks[i][1], is_shared);
	}
}

static void prepare_nothing(int me)
{
	(void)me;
}

static bool pass_turn(int me)
{
	bool is_over = atomic_load(&meeting->is_over);

	meeting->turn = !me;
	cond_signal(&meeting->is_ours[!me]);
	mutex_unlock(&meeting->lock);
	return is_over;
}

static bool turn_by_condition(int me)
{
	mutex_lock(&meeting->lock);
	while (meeting->turn != me)
		cond_wait(&meeting->is_ours[me], &meeting->lock);
	return pass_turn(me);
}

static bool turn_by_deadline(int me)
{
	mutex_lock(&meeting->lock);
	while (meeting->turn != me)
		cond_wait_second(&meeting->is_ours[me], &meeting->lock);
	return pass_turn(me);
}

/* As in pingpong.c, where 1 begins: 0 holds both of its blocks, and 1 the first of 0's. */
static void prepare_blocks(int me)
{
	mutex_lock(&meeting->blocks[!me][0]);
	if (me == 0) {
		mutex_lock(&meeting->blocks[1][1]);
		meeting->turn = 1;
	}
	atomic_fetch_add(&meeting->ready, 1);
	while (atomic_load(&meeting->ready) < 2)
		thread_yield();
	if (me == 0)
		mutex_unlock(&meeting->blocks[1][0]);
}

static bool turn_by_mutex(int me)
{
	mutex *ours = meeting->blocks[me], *theirs = meeting->blocks[!me];
	unsigned n = meeting->turns_of[me]++;

	mutex_lock(&ours[n % 2]);
	check("taking turns by locks", meeting->turn == me);
	bool is_over = atomic_load(&meeting->is_over);

	meeting->turn = !me;
	mutex_lock(&theirs[(n + (unsigned)me) % 2]);
	mutex_unlock(&ours[n % 2]);
	mutex_unlock(&theirs[(n + (unsigned)me + 1) % 2]);
	return is_over;
}

/* Whether it was done. No system restarts semop after a signal, of which a threads system may send some. */
static bool change_semaphore(int which, int by)
{
	while (semop(meeting->semaphores, &(struct sembuf){ (unsigned short)which, (short)by, 0 }, 1) == -1)
		if (errno != EINTR)
			return false;
	return true;
}

static void prepare_semaphores(int me)
{
	if (me == 0) {
		meeting->semaphores = semget(IPC_PRIVATE, 2, 0600);
		check("semget", meeting->semaphores >= 0);
		check("semop", change_semaphore(0, 1));
	}
	atomic_fetch_add(&meeting->ready, 1);
	while (atomic_load(&meeting->ready) < 2)
		thread_yield();
}

static bool turn_by_semaphore(int me)
{
	check("semop", change_semaphore(me, -1));
	check("taking turns by semaphores", meeting->turn == me);
	bool is_over = atomic_load(&meeting->is_over);

	meeting->turn = !me;
	check("semop", change_semaphore(!me, 1));
	return is_over;
}

static const struct way by_condition = { prepare_nothing, turn_by_condition };
static const struct way by_deadline = { prepare_nothing, turn_by_deadline };
static const struct way by_mutex = { prepare_blocks, turn_by_mutex };
static const struct way by_semaphore = { prepare_semaphores, turn_by_semaphore };

static void turns(void)
{
	for (int i = 0; i < ROUNDS; i++)
		way->take_turn(0);
}

/* One turn more, for 1 to find out that it is over: it gives back the turn in which it does. */
static void *lead(void *arg)
{
	way->prepare(0);
	meeting->ns = time_of(turns, 2 * ROUNDS, length_ns);
	atomic_store(&meeting->is_over, true);
	way->take_turn(0);
	return arg;
}

static void *answer(void *arg)
{
	way->prepare(1);
	while (!way->take_turn(1))
		;
	return arg;
}

static double close_meeting(void)
{
	double ns = meeting->ns;

	if (way == &by_semaphore)
		semctl(meeting->semaphores, 0, IPC_RMID);
	munmap(meeting, sizeof(*meeting));
	return ns;
}

static double time_threads(const struct way *by, unsigned flags, bool is_shared)
{
	way = by;
	open_meeting(is_shared);
	thread leader = thread_start(lead, NULL, flags, 0), other = thread_start(answer, NULL, flags, 0);

	thread_join(leader);
	thread_join(other);
	return close_meeting();
}

/* Before the first thread. */
static double time_processes(const struct way *by)
{
	int status;

	way = by;
	open_meeting(true);
	pid_t pid = fork();

	check("fork", pid >= 0);
	if (pid == 0) {
		answer(NULL);
		_exit(0);
	}
	lead(NULL);
	check("the other process", waitpid(pid, &status, 0) == pid && status == 0);
	return close_meeting();
}

/* Operations of one thread, which is not the program's first one. */
static struct {
	void (*operations)(void);
	unsigned n;
	double ns;
} alone;

static void *do_alone(void *arg)
{
	alone.ns = time_of(alone.operations, alone.n, length_ns);
	return arg;
}

static double time_alone(void (*operations)(void), unsigned n)
{
	alone.operations = operations;
	alone.n = n;
	thread_join(thread_start(do_alone, NULL, 0, 0));
	return alone.ns;
}

static void null_syscalls(void)
{
	for (int i = 0; i < 256; i++)
		syscall(SYS_getppid);
}

/* By pointer: the compiler would call once. */
static void null_calls(void)
{
	static thread (*volatile self)(void) = thread_self;

	for (int i = 0; i < 256; i++)
		self();
}

static void yields(void)
{
	for (int i = 0; i < 256; i++)
		thread_yield();
}

static atomic_bool are_yields_over;
static atomic_uint ended;

static void *yield_until_over(void *arg)
{
	while (!atomic_load_explicit(&are_yields_over, memory_order_relaxed))
		thread_yield();
	return arg;
}

static double time_yields(void)
{
	thread other = thread_start(yield_until_over, NULL, 0, 0);
	double ns = time_alone(yields, 2 * 256);

	atomic_store(&are_yields_over, true);
	thread_join(other);
	return ns;
}

static void *count_end(void *arg)
{
	atomic_fetch_add(&ended, 1);
	return arg;
}

/* Nobody joins them; the creator gives way until each has run. */
static void create_exits(void)
{
	for (int i = 0; i < 16; i++) {
		unsigned before = atomic_load(&ended);

		thread_start(count_end, NULL, START_DETACHED, 0);
		while (atomic_load(&ended) == before)
			thread_yield();
	}
}

static void create_joins_as(unsigned flags)
{
	for (int i = 0; i < 16; i++) {
		unsigned before = atomic_load(&ended);

		thread_join(thread_start(count_end, NULL, flags, 0));
		check("a thread", atomic_load(&ended) == before + 1);
	}
}

static void create_joins(void)
{
	create_joins_as(0);
}

static void create_joins_bound(void)
{
	create_joins_as(START_BOUND);
}

static void processes(void)
{
	int status;
	pid_t pid = fork();

	check("fork", pid >= 0);
	if (pid == 0)
		_exit(0);
	check("waitpid", waitpid(pid, &status, 0) == pid && status == 0);
}

/* What creation takes of the creator alone; nobody runs between unless the kernel thinks so. */
static double time_creation(void)
{
	static thread threads[BATCH];
	uint64_t elapsed = 0, count = 0, t_begin = now_ns();

	do {
		uint64_t t_start = now_ns();

		for (int i = 0; i < BATCH; i++)
			threads[i] = thread_start(count_end, NULL, 0, 0);
		elapsed += now_ns() - t_start;
		count += BATCH;
		for (int i = 0; i < BATCH; i++)
			thread_join(threads[i]);
	} while (now_ns() - t_begin < length_ns);
	return (double)elapsed / (double)count;
}

static double syscall_ns;	/* table 3's measure; 0: no multiples */
static const double paper_syscall_us = 19.5;

/* local_us, global_us: the paper's for local and for global threads, or 0. */
static void put_row(const char *metric, double ns, double local_us, double global_us)
{
	char name[64];
	double paper_us = is_glibc ? global_us : local_us;

	put(metric, ns, "ns");
	if (paper_us)
		paper(metric, paper_us * 1e3, "ns", is_glibc ? "DG/UX, global" : "DG/UX, local");
	if (!syscall_ns)
		return;
	snprintf(name, sizeof(name), "%s/syscall", metric);
	put(name, ns / syscall_ns, "x");
	if (paper_us)
		paper(name, paper_us / paper_syscall_us, "x", "DG/UX, local");
}

/* What is no matter of local or global. */
static void put_other(const char *metric, double ns, double paper_us, const char *whose)
{
	put(metric, ns, "ns");
	paper(metric, paper_us * 1e3, "ns", whose);
}

static void table_2(void)
{
	put_other("null-syscall", time_alone(null_syscalls, 256), 19.5, "DG/UX");
	put("null-call", time_alone(null_calls, 256), "ns");
	if (!is_glibc) {
		paper("null-call", 500, "ns", "null XOP");
		paper("null-call", 1400, "ns", "null KFC");
	}
}

static void table_3(void)
{
	syscall_ns = time_alone(null_syscalls, 256);
	put_row("yield-alone", time_alone(yields, 256), 1.8, 0);
	put_row("yield", time_yields(), 4.0, 0);
	put_row("create-exit", time_alone(create_exits, 16), 8.1, 0);
	put_row("mutex", time_threads(&by_mutex, 0, false), 12.3, 0);
	put_row("condition", time_threads(&by_condition, 0, false), 13.2, 0);
	put_row("create-exit-join", time_alone(create_joins, 16), 14.1, 0);
	put_row("condition-timed", time_threads(&by_deadline, 0, false), 17.7, 0);
}

static void table_4(void)
{
	double process = time_of(processes, 1, length_ns);

	put_row("thread", time_alone(create_joins, 16), 14.1, 57.1);
	put_other("bound", time_alone(create_joins_bound, 16), 57.1, "DG/UX, global");
	put_other("process", process, 7738.9, "DG/UX");
}

static void table_5(void)
{
	double shared = THREADS_SHARE ? time_processes(&by_condition) : 0, semaphore = time_processes(&by_semaphore);

	put_row("condition", time_threads(&by_condition, 0, false), 13.2, 33.6);
	put_other("condition-bound", time_threads(&by_condition, START_BOUND, false), 33.6, "DG/UX, global");
	if (THREADS_SHARE) {
		put_row("shared", time_threads(&by_condition, 0, true), 13.7, 38.4);
		put_other("shared-bound", time_threads(&by_condition, START_BOUND, true), 38.4, "DG/UX, global");
		put_other("shared-processes", shared, 38.9, "DG/UX");
	}
	put_row("semop", time_threads(&by_semaphore, 0, false), 99.7, 107.9);
	put_other("semop-bound", time_threads(&by_semaphore, START_BOUND, false), 107.9, "DG/UX, global");
	put_other("semop-processes", semaphore, 116.1, "DG/UX");
}

static void table_6(void)
{
	put_row("create", time_creation(), 4.0, 0);
	put_row("mutex", time_threads(&by_mutex, 0, false), 12.3, 0);
	put_row("condition", time_threads(&by_condition, 0, false), 13.2, 0);
	if (is_glibc)
		return;
	paper("create", 12000, "ns", "FSU");
	paper("create", 56000, "ns", "SunOS");
	paper("mutex", 51000, "ns", "FSU");
	paper("condition", 55000, "ns", "FSU");
	paper("condition", 158000, "ns", "SunOS");
}

static const struct {
	const char *name;
	void (*measure)(void);
} cases[] = {
	{ "table-2", table_2 }, { "table-3", table_3 }, { "table-4", table_4 },
	{ "table-5", table_5 }, { "table-6", table_6 },
};

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);

	length_ns = args.length_ns;
	is_glibc = !strcmp(args.system, "glibc");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!strcmp(args.name, cases[i].name)) {
			cases[i].measure();
			return 0;
		}
	}
	die("no case '%s'", args.name);
}
