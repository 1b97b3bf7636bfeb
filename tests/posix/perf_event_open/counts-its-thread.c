// SPDX-License-Identifier: BSD-2-Clause
// A performance event of the calling thread (0), or of another that is named, counts that thread, perf_event_open(2),
// wherever it runs, and none of those that compute beside it.
#include "../beside.h"
#include <linux/perf_event.h>

enum { COMPUTED_NS = 40000000, LATE_NS = 5000000 };

static atomic_int other;
static atomic_int event;
static atomic_bool may_begin;

static int count_of(int tid)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof attr,
					.config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1, .exclude_hv = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		skip("may open no performance event");
	return fd;
}

static uint64_t counted(int fd)
{
	uint64_t n;

	CHECK_EQ(read(fd, &n, sizeof n), (int)sizeof n);
	return n;
}

/* By its CPU clock, with waits in between. */
static void compute(int fd)
{
	uint64_t since = now_on(CLOCK_THREAD_CPUTIME_ID), before = counted(fd), used, n;

	for (int i = 1; (used = now_on(CLOCK_THREAD_CPUTIME_ID) - since) < COMPUTED_NS; i++)
		if (i % 2000 == 0)
			usleep(100);
	n = counted(fd) - before;
	CHECK(n + LATE_NS > used / 10 * 9);
	CHECK(n < used / 10 * 11 + LATE_NS);
}

static void *counts_itself(void *arg)
{
	compute(count_of(0));
	return arg;
}

static void *is_counted(void *arg)
{
	other = (int)syscall(SYS_gettid);
	WAIT_FOR(may_begin);
	compute(event);
	return arg;
}

int main(void)
{
	pthread_t t;

	beside_begin();
	join(spawn(counts_itself, NULL));
	t = spawn(is_counted, NULL);
	WAIT_FOR(other);
	event = count_of(other);
	may_begin = true;
	join(t);
	beside_end();
}
