// SPDX-License-Identifier: BSD-2-Clause
/* How many threads a program starts: perf records of forks, which take no privilege where perf_event_paranoid is 2. */
#include "observe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CPUS_MAX = 1024, RING_BYTES = 1 << 16 };

struct fork_record {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

static struct {
	struct perf_event_mmap_page *ring;
	uint64_t tail;
	int fd;
} cpus[CPUS_MAX];
static long ncpus;
static double threads;
static bool has_lost;

/* A program's events can be shared with its children only if there is a ring for each processor: 0 or errno. */
static int open_one(pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = sizeof(attr),
		.task = 1, .inherit = 1, .disabled = 1, .enable_on_exec = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	void *ring = mmap(NULL, page + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (ring == MAP_FAILED) {
		int err = errno;

		close(fd);
		return err;
	}
	cpus[cpu].ring = ring;
	cpus[cpu].fd = fd;
	cpus[cpu].tail = 0;
	return 0;
}

static void close_all(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (long i = 0; i < ncpus; i++) {
		if (!cpus[i].ring)
			continue;
		munmap(cpus[i].ring, page + RING_BYTES);
		close(cpus[i].fd);
		cpus[i].ring = NULL;
	}
	ncpus = 0;
}

bool starts_open(pid_t pid)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	threads = 0;
	has_lost = false;
	for (ncpus = 0; n <= CPUS_MAX && ncpus < n; ncpus++) {
		int err = open_one(pid, (int)ncpus);

		if (err && err != ENODEV) {	/* a processor that is switched off runs nothing */
			close_all();
			return false;
		}
	}
	return ncpus > 0;
}

/* The record may go on at the ring's start. */
static void copy(const void *ring, uint64_t from, void *to, size_t n)
{
	const char *data = (const char *)ring + sysconf(_SC_PAGESIZE);
	size_t place = from % RING_BYTES, first = RING_BYTES - place < n ? RING_BYTES - place : n;

	memcpy(to, data + place, first);
	memcpy((char *)to + first, data, n - first);
}

static void read_one(long cpu)
{
	struct perf_event_mmap_page *ring = cpus[cpu].ring;
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	struct fork_record r;

	while (cpus[cpu].tail < head) {
		copy(ring, cpus[cpu].tail, &r.header, sizeof(r.header));
		if (r.header.type == PERF_RECORD_FORK) {
			copy(ring, cpus[cpu].tail, &r, sizeof(r));
			threads += r.pid == r.ppid;
		}
		has_lost = has_lost || r.header.type == PERF_RECORD_LOST;
		cpus[cpu].tail += r.header.size;
	}
	__atomic_store_n(&ring->data_tail, cpus[cpu].tail, __ATOMIC_RELEASE);
}

void starts_read(void)
{
	for (long i = 0; i < ncpus; i++)
		if (cpus[i].ring)
			read_one(i);
}

bool starts_close(double *started)
{
	starts_read();
	close_all();
	/* They end, too, where a program with other rights is executed. */
	if (has_lost || threads < *started)
		return false;
	*started = threads;
	return true;
}
