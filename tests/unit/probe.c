// SPDX-License-Identifier: BSD-2-Clause
/* Probes answer 0 or -errno, leave nothing behind, and agree with what libc says of the same. */
#include "harness.h"

#include <dirent.h>

#include "sys/probe.h"

static int open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	CHECK(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static int mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	int n = 0;

	CHECK(f);
	for (int c; (c = fgetc(f)) != EOF;)
		n += c == '\n';
	fclose(f);
	return n;
}

static void test_lists(void)
{
	CHECK(!probe_is_disabled(NULL, "perf"));
	CHECK(!probe_is_disabled("", "perf"));
	CHECK(probe_is_disabled("perf", "perf"));
	CHECK(probe_is_disabled("bpf,perf", "perf"));
	CHECK(probe_is_disabled("perf,,bpf,", "bpf"));
	CHECK(!probe_is_disabled("perfect,io_uring", "perf"));
	CHECK(!probe_is_disabled("per", "perf"));
}

static void test_numbers(void)
{
	CHECK_EQ(probe_number("/proc/sys/kernel/no-such-thing", 7), 7);
	CHECK_EQ(probe_number("/proc/self/comm", 7), 7);
	CHECK(probe_number("/proc/sys/kernel/pid_max", -1) > 0);
	CHECK(probe_number("/proc/sys/kernel/sched_rt_runtime_us", 7) >= -1);
}

static void test_probes(void)
{
	int (*const probes[])(void) = {
		probe_perf, probe_alarm, probe_scx, probe_io_uring, probe_nowait, probe_fsgsbase, probe_guard,
		probe_rseq, probe_rseq_slice, probe_membarrier,
	};

	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		int err = probes[i]();

		CHECK(err <= 0 && err > -4096);
		CHECK_EQ(probes[i](), err);
	}
}

static void test_processors(void)
{
	cpu_set_t all, one;
	int first = 0;

	CHECK_OK(sched_getaffinity(0, sizeof(all), &all));
	CHECK_EQ(probe_affinity_cpus(), CPU_COUNT(&all));
	CHECK(probe_default_vprocs() >= 1 && probe_default_vprocs() <= CPU_COUNT(&all));
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	CHECK_OK(sched_setaffinity(0, sizeof(one), &one));
	CHECK_EQ(probe_affinity_cpus(), 1);
	CHECK_EQ(probe_default_vprocs(), 1);
}

int main(void)
{
	mappings();	/* stdio's own memory comes first */
	int fds = open_descriptors(), maps = mappings();

	test_lists();
	test_numbers();
	test_probes();
	CHECK_EQ(open_descriptors(), fds);
	CHECK_EQ(mappings(), maps);
	test_processors();
	return 0;
}
