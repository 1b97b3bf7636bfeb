// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads read a mapped file that is larger than the memory that they may use: nearly each page that
 * they touch is a major fault, a block that no library can see.  What else wants the processor
 * meanwhile is the question:
 *
 *   beside  readers, and one computing thread for each processor; `work` is the sum of pages read and
 *           units computed, which cost about the same time of a processor
 *   mixed   each thread reads a page, computes one unit, and so on; `work` counts such pairs
 *
 * Whoever calls sets the limit (`upcall bench` does); where it does not hold, all pages are soon in
 * memory, which is seen and said.  Pages are touched at random, without read-ahead.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

/* bench/peers/go.go has the same. */
enum { READERS = 16, UNIT_STEPS = 10000, PAGE = 4096, PAGES = 49152, THREADS_MAX = READERS + 256 };

static const char file_name[] = "bench-mapped-pages";
static const volatile uint32_t *map;
static atomic_bool is_over;

static struct counts {
	uint64_t pages, units;
	uint64_t seed;
} __attribute__((aligned(128))) counts[THREADS_MAX];

static bool is_time_over(void)
{
	return atomic_load_explicit(&is_over, memory_order_relaxed);
}

static uint64_t step(uint64_t x)
{
	return x * 6364136223846793005u + 1442695040888963407u;
}

static void compute_unit(struct counts *c)
{
	uint64_t x = c->seed;

	for (int i = 0; i < UNIT_STEPS; i++)
		x = step(x);
	c->seed = x;
	c->units++;
}

static void read_page(struct counts *c)
{
	c->seed = step(c->seed);
	uint32_t at = (uint32_t)((c->seed >> 33) % PAGES), sum = 0;

	for (size_t i = 0; i < PAGE / 4; i++)
		sum += map[at * (PAGE / 4) + i];
	if (sum != at * (PAGE / 4))
		die("page %u has the wrong contents", at);
	c->pages++;
}

static void *keep_reading(void *argument)
{
	while (!is_time_over())
		read_page(argument);
	return NULL;
}

static void *keep_computing(void *argument)
{
	while (!is_time_over())
		compute_unit(argument);
	return NULL;
}

static void *keep_doing_both(void *argument)
{
	while (!is_time_over()) {
		read_page(argument);
		compute_unit(argument);
	}
	return NULL;
}

/* Each word of a page is its number.  All calls of one `upcall bench` share the file. */
static int make_file(void)
{
	uint32_t page[PAGE / 4];
	struct stat st;
	int fd = open(file_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || fstat(fd, &st))
		die("%s: %s", file_name, strerror(errno));
	if (st.st_size == (off_t)PAGES * PAGE)
		return fd;
	for (uint32_t i = 0; i < PAGES; i++) {
		for (size_t j = 0; j < PAGE / 4; j++)
			page[j] = i;
		if (pwrite(fd, page, PAGE, (off_t)i * PAGE) != PAGE)
			die("%s: %s", file_name, strerror(errno));
	}
	if (fsync(fd))
		die("%s: %s", file_name, strerror(errno));
	return fd;
}

static void map_file(int fd)
{
	size_t bytes = (size_t)PAGES * PAGE;

	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED || madvise(at, bytes, MADV_RANDOM))
		die("mmap: %s", strerror(errno));
	map = at;
}

static uint64_t major_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_majflt;
}

static unsigned count_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned)CPU_COUNT(&set) < THREADS_MAX - READERS ? (unsigned)CPU_COUNT(&set) : THREADS_MAX - READERS;
}

static unsigned start(pthread_t *threads, bool is_mixed)
{
	unsigned n = READERS + (is_mixed ? 0 : count_cpus());

	for (unsigned i = 0; i < n; i++) {
		void *(*body)(void *) = is_mixed ? keep_doing_both : i < READERS ? keep_reading : keep_computing;

		counts[i].seed = i + 1;
		must("pthread_create", pthread_create(&threads[i], NULL, body, &counts[i]));
	}
	return n;
}

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);
	struct timespec t = { (time_t)(args.length_ns / 1000000000), (long)(args.length_ns % 1000000000) };
	bool is_mixed = !strcmp(args.name, "mixed");
	pthread_t threads[THREADS_MAX];
	struct counts sum = { 0 };

	if (!is_mixed && strcmp(args.name, "beside"))
		die("no case '%s'", args.name);
	map_file(make_file());
	uint64_t t_start = now_ns(), faults = major_faults();
	unsigned n = start(threads, is_mixed);

	nanosleep(&t, NULL);
	atomic_store(&is_over, true);
	for (unsigned i = 0; i < n; i++) {
		must("pthread_join", pthread_join(threads[i], NULL));
		sum.pages += counts[i].pages;
		sum.units += counts[i].units;
	}
	double s = (double)(now_ns() - t_start) / 1e9;

	faults = major_faults() - faults;
	if (faults < sum.pages / 2) {
		note("only %.0f %% of the pages were not in memory", 100.0 * (double)faults / (double)sum.pages);
		return EXIT_SKIP;
	}
	put("pages", (double)sum.pages / s, "pages/s");
	if (!is_mixed)
		put("compute", (double)sum.units / s, "units/s");
	put("work", (double)(sum.pages + (is_mixed ? 0 : sum.units)) / s, "1/s");
	if (!strncmp(args.system, "upcall", 6)) {
		bound_least_of("work", 1, "1/s", "glibc");
		bound_least_of("work", 1.5, "1/s", "go");
	}
	return 0;
}
