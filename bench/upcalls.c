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
 * SYSTEM "hand-off" is the floor: two kernel threads, one wakes the other by futex and waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
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

enum { SAMPLES_MIN = 100, SAMPLES_MAX = 1 << 18, BLOCK_NS = 300000 };
enum { PAGE = 4096, FILE_PAGES = 16384 };

static uint64_t length_ns;
static _Atomic uint64_t noted;		/* when the blocker went to block; 0: nothing new */
static atomic_bool is_over;

static uint32_t samples[SAMPLES_MAX];
static size_t nsamples;
static unsigned long missed;

static void add_sample(uint64_t ns)
{
	if (nsamples < SAMPLES_MAX)
		samples[nsamples++] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
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

	return elapsed > 10 * length_ns || (elapsed > length_ns && nsamples >= SAMPLES_MIN);
}

static void put_percentiles(void)
{
	static const struct {
		const char *name;
		double share;
	} wanted[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 } };

	if (nsamples < SAMPLES_MIN)
		die("only %zu samples in ten times the time of the measurement", nsamples);
	qsort(samples, nsamples, sizeof(samples[0]), by_value);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		size_t at = (size_t)((double)nsamples * wanted[i].share);

		put(wanted[i].name, samples[at] / 1e3, "us");
	}
	put("missed", 100.0 * (double)missed / (double)nsamples, "%");
}

static bool block_in_nanosleep(void)
{
	struct timespec t = { 0, BLOCK_NS };

	arch_syscall2(SYS_nanosleep, (long)&t, 0);
	return true;
}

static bool block_in_futex(void)
{
	static uint32_t word;
	struct timespec t = { 0, BLOCK_NS };

	arch_syscall4(SYS_futex, (long)&word, FUTEX_WAIT_PRIVATE, 0, (long)&t);
	return true;
}

/*
 * The FIFO's writer is a process on another processor.  It never needs to be woken: it writes when
 * it finds, on waking up by itself, that a byte was wanted already when it last looked.
 */
static struct {
	int fd;
	pid_t writer;
	atomic_int *wanted;	/* 0, 1 asked for, 2 seen */
} fifo;

static bool block_in_read(void)
{
	char byte;

	atomic_store(fifo.wanted, 1);
	if (arch_syscall3(SYS_read, fifo.fd, (long)&byte, 1) != 1)
		die("read from the FIFO");
	return true;
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

static bool block_in_fault(void)
{
	long before = major_faults();

	(void)file.map[file.next++ * PAGE];
	return major_faults() != before;
}

/* Between two blocks, while nothing is measured. */
static void refresh_file(void)
{
	if (file.next == FILE_PAGES)
		forget_pages();
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

static void block_often(bool (*block)(void), void (*refresh)(void))
{
	uint64_t t_start = now_ns();
	pthread_t next;

	must("pthread_create", pthread_create(&next, NULL, run_next, NULL));
	while (!is_enough(t_start)) {
		if (refresh)
			refresh();
		sched_yield();
		atomic_store(&noted, now_ns());
		bool did_block = block();

		uint64_t now = now_ns(), t = atomic_exchange(&noted, 0);

		if (t && did_block) {
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

static void await(uint32_t *word)
{
	while (__atomic_exchange_n(word, 0, __ATOMIC_SEQ_CST) == 0)
		arch_syscall4(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, 0, 0);
}

static void *take_over(void *argument)
{
	for (;;) {
		await(&baton[1].word);
		if (atomic_load(&is_over))
			return argument;
		add_sample(now_ns() - atomic_exchange(&noted, 0));
		pass(&baton[0].word);
	}
}

static void hand_off(void)
{
	uint64_t t_start = now_ns();
	pthread_t other;

	must("pthread_create", pthread_create(&other, NULL, take_over, NULL));
	while (!is_enough(t_start)) {
		atomic_store(&noted, now_ns());
		pass(&baton[1].word);
		await(&baton[0].word);
	}
	atomic_store(&is_over, true);
	pass(&baton[1].word);
	must("pthread_join", pthread_join(other, NULL));
}

static void nothing(void)
{
}

static const struct {
	const char *name;
	void (*open)(void);
	bool (*block)(void);
	void (*refresh)(void);
	void (*close)(void);
} cases[] = {
	{ "nanosleep", nothing, block_in_nanosleep, NULL, nothing },
	{ "futex", nothing, block_in_futex, NULL, nothing },
	{ "fifo", open_fifo, block_in_read, NULL, close_fifo },
	{ "page-fault", open_file, block_in_fault, refresh_file, nothing },
};

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);

	length_ns = args.length_ns;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(args.name, cases[i].name))
			continue;
		if (!strcmp(args.system, "hand-off")) {
			hand_off();
		} else {
			cases[i].open();
			block_often(cases[i].block, cases[i].refresh);
			cases[i].close();
		}
		put_percentiles();
		return 0;
	}
	die("no case '%s'", args.name);
}
