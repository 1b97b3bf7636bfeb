// SPDX-License-Identifier: BSD-2-Clause
/*
 * How long a processor stands still when its thread blocks where no library can see it: from just
 * before the call to the first instruction of the thread that was ready beside it.  On one
 * processor:
 *
 *   blocker: yield; note the time; block by a raw system call (or a page fault); again
 *   next:    yield; if a time was noted, look at the clock: that is a sample; again
 *
 * After its yield the blocker runs and `next` is ready in its own yield, so that whoever notices
 * the block has a thread to run.  Where `next` did not run before the block was over, the length of
 * the block is the sample (it would have been longer) and counts as missed.
 *
 * SYSTEM "hand-off" is the floor: two kernel threads, one wakes the other by futex and waits.  The other
 * computes as long as a block lasts before it hands back, so that caches and the kernel's scheduler are
 * in the state that a block finds them in.  Where the block has an end set by time, so has the floor's: the
 * kernel programs the processor's timer for it, which in a virtual machine costs as much as the rest.
 *
 * Where a wake-up can be timed (fifo), also: from just before it to where the woken thread goes on as
 * one of the runtime's own, after its next yield.  The other cases are what it costs: a block, in the
 * processor's time (cost); a switch between two processes that yield to each other, one of them this one (own) or
 * neither (other); and computing.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/arch/arch.h"
#include "bench.h"

enum { SAMPLES_MIN = 100, SAMPLES_MAX = 1 << 18, BLOCK_NS = 300000, BLOCKERS = 32, SHORT_NS = 50000 };
enum { PAGE = 4096, FILE_PAGES = 16384 };

static uint64_t length_ns;
static const char *system_name;
static pid_t hog;
static _Atomic uint64_t noted;		/* when the blocker went to block; 0: nothing new */
static atomic_bool is_over;

struct samples {
	uint32_t ns[SAMPLES_MAX];
	size_t n;
};
static struct samples blocks, wakes;
static unsigned long missed;

static void add_to(struct samples *s, uint64_t ns)
{
	if (s->n < SAMPLES_MAX)
		s->ns[s->n++] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

static void add_sample(uint64_t ns)
{
	add_to(&blocks, ns);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* A busy machine gets more time for the samples that percentiles need. */
static bool is_enough(uint64_t t_start)
{
	uint64_t elapsed = now_ns() - t_start;

	return elapsed > 10 * length_ns || (elapsed > length_ns && blocks.n >= SAMPLES_MIN);
}

static void put_samples(struct samples *s, const char *prefix)
{
	static const struct {
		const char *name;
		double share;
	} wanted[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 } };
	char name[32];

	if (s->n < SAMPLES_MIN)
		die("only %zu samples in ten times the time of the measurement", s->n);
	qsort(s->ns, s->n, sizeof(s->ns[0]), by_value);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		size_t at = (size_t)((double)s->n * wanted[i].share);

		snprintf(name, sizeof(name), "%s%s", prefix, wanted[i].name);
		put(name, s->ns[at] / 1e3, "us");
	}
	snprintf(name, sizeof(name), "%smax", prefix);
	put(name, s->ns[s->n - 1] / 1e3, "us");
}

static void block_in_nanosleep(void)
{
	struct timespec t = { 0, BLOCK_NS };

	arch_syscall2(SYS_nanosleep, (long)&t, 0);
}

static void block_in_futex(void)
{
	static uint32_t word;
	struct timespec t = { 0, BLOCK_NS };

	arch_syscall4(SYS_futex, (long)&word, FUTEX_WAIT_PRIVATE, 0, (long)&t);
}

/*
 * The FIFO's writer is a process on another processor.  It never needs to be woken: it writes when
 * it finds, on waking up by itself, that a byte was wanted already when it last looked.
 */
static struct {
	int fd;
	pid_t writer;
	atomic_int *wanted;	/* 0, 1 asked for, 2 seen */
	_Atomic uint64_t *written_ns;
} fifo;

static void block_in_read(void)
{
	char byte;

	atomic_store(fifo.wanted, 1);
	if (arch_syscall3(SYS_read, fifo.fd, (long)&byte, 1) != 1)
		die("read from the FIFO");
}

/* The thread that was woken is one of the runtime's own again once it has come back from a yield. */
static void note_wake(void)
{
	uint64_t written = atomic_exchange(fifo.written_ns, 0);

	if (written)
		add_to(&wakes, now_ns() - written);
}

static void leave_this_processor(void)
{
	cpu_set_t others;
	int here = sched_getcpu();

	memset(&others, 0xff, sizeof(others));
	CPU_CLR(here, &others);
	sched_setaffinity(0, sizeof(others), &others);	/* fails where there is one only */
}

static void write_when_wanted(void)
{
	struct timespec t = { 0, BLOCK_NS };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	leave_this_processor();
	for (;;) {
		nanosleep(&t, NULL);
		if (atomic_load(fifo.wanted) == 2) {
			atomic_store(fifo.wanted, 0);
			atomic_store(fifo.written_ns, now_ns());
			if (write(fifo.fd, "", 1) != 1)
				_exit(1);
		} else if (atomic_load(fifo.wanted) == 1) {
			atomic_store(fifo.wanted, 2);
		}
	}
}

static void open_fifo(void)
{
	fifo.wanted = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fifo.written_ns = (_Atomic uint64_t *)(fifo.wanted + 16);
	unlink("bench-fifo");
	if (fifo.wanted == MAP_FAILED || mkfifo("bench-fifo", 0600))
		die("mkfifo: %s", strerror(errno));
	fifo.fd = open("bench-fifo", O_RDWR | O_CLOEXEC);
	unlink("bench-fifo");
	if (fifo.fd < 0)
		die("open FIFO: %s", strerror(errno));
	fifo.writer = fork();
	if (fifo.writer < 0)
		die("fork: %s", strerror(errno));
	if (fifo.writer == 0)
		write_when_wanted();
}

static void close_fifo(void)
{
	kill(fifo.writer, SIGKILL);
	waitpid(fifo.writer, NULL, 0);
}

/* A file that was written, dropped from memory and mapped; each page is touched once. */
static struct {
	int fd;
	volatile char *map;
	size_t next;
	long faults;		/* major ones, until before the page that is touched next */
} file;

static void forget_pages(void)
{
	madvise((void *)(uintptr_t)file.map, (size_t)FILE_PAGES * PAGE, MADV_DONTNEED);
	posix_fadvise(file.fd, 0, 0, POSIX_FADV_DONTNEED);
	file.next = 0;
}

static long major_faults(void)
{
	struct rusage usage = { 0 };

	arch_syscall2(SYS_getrusage, RUSAGE_SELF, (long)&usage);
	return usage.ru_majflt;
}

static void open_file(void)
{
	char page[PAGE] = { 1 };

	file.fd = open("bench-pages", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	unlink("bench-pages");
	if (file.fd < 0)
		die("open: %s", strerror(errno));
	for (int i = 0; i < FILE_PAGES; i++)
		if (write(file.fd, page, PAGE) != PAGE)
			die("write: %s", strerror(errno));
	if (fsync(file.fd))
		die("fsync: %s", strerror(errno));
	file.map = mmap(NULL, (size_t)FILE_PAGES * PAGE, PROT_READ, MAP_SHARED, file.fd, 0);
	if (file.map == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	madvise((void *)(uintptr_t)file.map, (size_t)FILE_PAGES * PAGE, MADV_RANDOM);
	forget_pages();

	long before = major_faults();
	(void)file.map[0];
	if (major_faults() == before) {
		note("files of this folder are in memory: no page fault blocks");
		exit(EXIT_SKIP);
	}
	file.next = 1;
}

static void block_in_fault(void)
{
	(void)file.map[file.next++ * PAGE];
}

/* Between two blocks, while nothing is measured. */
static void refresh_file(void)
{
	if (file.next == FILE_PAGES)
		forget_pages();
	file.faults = major_faults();
}

/* After the block, when the time is known. */
static bool did_fault(void)
{
	return major_faults() != file.faults;
}

/* The sources that act in the very switch: the same is asked of both. */
static bool is_exact(void)
{
	return !strcmp(system_name, "upcall-bpf") || !strcmp(system_name, "upcall-sched_ext");
}

static bool is_perf(void)
{
	return !strcmp(system_name, "upcall-perf");
}

/* A page fault is not judged: before it blocks, it has the disk read, and the floor does nothing like that. */
static void compare_block(void)
{
	if ((!is_exact() && !is_perf()) || file.map)
		return;
	if (hog) {
		bound_of("p50", 2, "us", "hand-off");
		bound("p99", 10000, "us", "at-most");
	} else {
		bound_of("p50", is_exact() ? 0.9 : 1.15, "us", "hand-off");
	}
}

static void put_percentiles(void)
{
	put_samples(&blocks, "");
	compare_block();
	put("missed", 100.0 * (double)missed / (double)blocks.n, "%");
	if (wakes.n)
		put_samples(&wakes, "wake-");
}

static void *run_next(void *argument)
{
	while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
		sched_yield();
		uint64_t t = atomic_exchange(&noted, 0);

		if (t)
			add_sample(now_ns() - t);
	}
	return argument;
}

struct block {
	const char *name;
	void (*open)(void), (*block)(void), (*refresh)(void);
	bool (*did_block)(void);	/* NULL: it always does */
	void (*close)(void);
};

static void block_often(const struct block *b)
{
	uint64_t t_start = now_ns();
	pthread_t next;

	must("pthread_create", pthread_create(&next, NULL, run_next, NULL));
	while (!is_enough(t_start)) {
		if (b->refresh)
			b->refresh();
		sched_yield();
		if (fifo.wanted)
			note_wake();
		atomic_store(&noted, now_ns());
		b->block();
		uint64_t now = now_ns(), t = atomic_exchange(&noted, 0);

		if (t && (!b->did_block || b->did_block())) {
			add_sample(now - t);
			missed++;
		}
	}
	atomic_store(&is_over, true);
	must("pthread_join", pthread_join(next, NULL));
}

static struct {
	uint32_t word;		/* 1: whoever waits here may go on */
} baton[2];

static void pass(uint32_t *word)
{
	__atomic_store_n(word, 1, __ATOMIC_SEQ_CST);
	arch_syscall3(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, 1);
}

static void await(uint32_t *word, bool is_timed)
{
	struct timespec end = { 0, 2 * BLOCK_NS };

	while (__atomic_exchange_n(word, 0, __ATOMIC_SEQ_CST) == 0)
		arch_syscall4(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, 0, is_timed ? (long)&end : 0);
}

static void *take_over(void *argument)
{
	for (;;) {
		await(&baton[1].word, false);
		if (atomic_load(&is_over))
			return argument;
		uint64_t now = now_ns();

		add_sample(now - atomic_exchange(&noted, 0));
		while (now_ns() - now < BLOCK_NS)
			;
		pass(&baton[0].word);
	}
}

static void hand_off(bool is_timed)
{
	uint64_t t_start = now_ns();
	pthread_t other;

	must("pthread_create", pthread_create(&other, NULL, take_over, NULL));
	while (!is_enough(t_start)) {
		atomic_store(&noted, now_ns());
		pass(&baton[1].word);
		await(&baton[0].word, is_timed);
	}
	atomic_store(&is_over, true);
	pass(&baton[1].word);
	must("pthread_join", pthread_join(other, NULL));
}

static void nothing(void)
{
}

/* A process that computes on the same processor, with the same weight. */
static void start_hog(void)
{
	pid_t parent = getpid();

	hog = fork();
	if (hog < 0)
		die("fork: %s", strerror(errno));
	if (hog)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		for (volatile int i = 0; i < 1000000; i++)
			;
	_exit(0);
}

static void stop_hog(void)
{
	kill(hog, SIGKILL);
	waitpid(hog, NULL, 0);
}

static void raw_sleep(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	arch_syscall2(SYS_nanosleep, (long)&t, 0);
}

static pid_t start_yielder(_Atomic uint64_t *rounds)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		arch_syscall2(SYS_sched_yield, 0, 0);
		atomic_fetch_add_explicit(rounds, 1, memory_order_relaxed);
	}
}

static void *wait_for_the_end(void *argument)
{
	while (!atomic_load(&is_over))
		raw_sleep(100000000);
	return argument;
}

/*
 * In the time in which each of both yields once there are two switches.  A thread that sleeps has started
 * the runtime, so that this process's kernel threads are watched; nothing is ready beside this one, so no
 * spare is armed.
 */
static void yield_in_turn(bool is_own)
{
	_Atomic uint64_t *rounds = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t sleeper;
	pid_t others[2] = { 0, 0 };

	if (rounds == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	must("pthread_create", pthread_create(&sleeper, NULL, wait_for_the_end, NULL));
	raw_sleep(1000000000);
	for (int i = is_own; i < 2; i++)
		others[i] = start_yielder(&rounds[8 * i]);
	uint64_t before = atomic_load(rounds), t_start = now_ns();

	if (is_own)
		while (now_ns() - t_start < length_ns)
			for (int i = 0; i < 100; i++, atomic_fetch_add(rounds, 1))
				arch_syscall2(SYS_sched_yield, 0, 0);
	else
		raw_sleep(length_ns);
	uint64_t n = atomic_load(rounds) - before;

	put("-", (double)(now_ns() - t_start) / (double)n / 2, "ns");
	if (!is_own && !strcmp(system_name, "upcall-bpf"))
		bound_above("-", 250, "ns", "glibc");
	if (!is_own && is_perf())
		bound_above("-", 150, "ns", "glibc");
	for (int i = is_own; i < 2; i++) {
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
	atomic_store(&is_over, true);
	must("pthread_join", pthread_join(sleeper, NULL));
}

static void *compute(void *argument)
{
	uint64_t *sum = argument, x = 1;

	while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
		for (int i = 0; i < 10000; i++)
			x = x * 6364136223846793005u + 1442695040888963407u;
		++*sum;
	}
	return (void *)(uintptr_t)x;
}

/* Two threads that compute and never block. */
static void only_compute(void)
{
	static struct { uint64_t n; char pad[120]; } sums[2];
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		must("pthread_create", pthread_create(&threads[i], NULL, compute, &sums[i]));
	struct timespec t = { (time_t)(length_ns / 1000000000), (long)(length_ns % 1000000000) };
	uint64_t t_start = now_ns();

	nanosleep(&t, NULL);
	atomic_store(&is_over, true);
	for (int i = 0; i < 2; i++)
		must("pthread_join", pthread_join(threads[i], NULL));
	put("step", (double)(now_ns() - t_start) / (double)(sums[0].n + sums[1].n), "ns");
	if (!strncmp(system_name, "upcall", 6))
		bound_of("step", 1.005, "ns", "glibc");
}

static struct {
	_Atomic uint64_t n;
	char pad[120];
} counts[BLOCKERS];

static void *block_shortly(void *argument)
{
	_Atomic uint64_t *n = argument;

	while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
		raw_sleep(SHORT_NS);
		atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
	}
	return argument;
}

static uint64_t count_blocks(void)
{
	uint64_t n = 0;

	for (int i = 0; i < BLOCKERS; i++)
		n += atomic_load_explicit(&counts[i].n, memory_order_relaxed);
	return n;
}

static uint64_t processor_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * What a block takes of the processor's time, with what follows it, where `n` threads do nothing else: of many
 * some are always ready.
 */
static void put_cost(const char *metric, int n)
{
	pthread_t threads[BLOCKERS];

	atomic_store(&is_over, false);
	for (int i = 0; i < n; i++)
		must("pthread_create", pthread_create(&threads[i], NULL, block_shortly, &counts[i].n));
	raw_sleep(length_ns / 4);	/* until there are kernel threads enough */
	uint64_t done = count_blocks(), used_ns = processor_ns();

	raw_sleep(length_ns);
	used_ns = processor_ns() - used_ns;
	done = count_blocks() - done;
	atomic_store(&is_over, true);
	for (int i = 0; i < n; i++)
		must("pthread_join", pthread_join(threads[i], NULL));
	put(metric, (double)used_ns / (double)(done ? done : 1), "ns");
}

static const struct block cases[] = {
	{ "nanosleep", nothing, block_in_nanosleep, NULL, NULL, nothing },
	{ "futex", nothing, block_in_futex, NULL, NULL, nothing },
	{ "fifo", open_fifo, block_in_read, NULL, NULL, close_fifo },
	{ "page-fault", open_file, block_in_fault, refresh_file, did_fault, nothing },
	{ "futex-hog", start_hog, block_in_futex, NULL, NULL, stop_hog },
};

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);

	length_ns = args.length_ns;
	system_name = args.system;
	if (!strncmp(args.name, "switch-", 7)) {
		yield_in_turn(!strcmp(args.name, "switch-own"));
		return 0;
	}
	if (!strcmp(args.name, "cost")) {
		put_cost("alone", 1);
		put_cost("block", BLOCKERS);
		return 0;
	}
	if (!strcmp(args.name, "compute")) {
		only_compute();
		return 0;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(args.name, cases[i].name))
			continue;
		if (!strcmp(args.system, "hand-off")) {
			bool has_hog = cases[i].open == start_hog;
			bool is_timed = cases[i].block == block_in_futex || cases[i].block == block_in_nanosleep;

			if (has_hog)
				start_hog();
			hand_off(is_timed);
			if (has_hog)
				stop_hog();
		} else {
			cases[i].open();
			block_often(&cases[i]);
			cases[i].close();
		}
		put_percentiles();
		return 0;
	}
	die("no case '%s'", args.name);
}
