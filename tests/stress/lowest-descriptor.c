// SPDX-License-Identifier: BSD-2-Clause
// A thread opens and closes all the time and expects the lowest free descriptor each time, while
// others block in the kernel, so that kernel threads start, are watched, and come back: nothing of
// the runtime's ever takes a descriptor in between.
#include "stress.h"
#include <linux/futex.h>

#define BLOCKERS 24
#define SECONDS 2

static atomic_bool stop;
static atomic_int word;
static atomic_ulong opened, wrong, blocked;
static int lowest;

static void *opener(void *arg UNUSED)
{
	while (!stop) {
		int fd = open("/dev/null", O_RDONLY);

		CHECK(fd >= 0);
		if (fd != lowest && wrong++ == 0)
			fprintf(stderr, "descriptor %d instead of %d after %lu\n", fd, lowest, opened);
		CHECK_OK(close(fd));
		opened++;
	}
	return NULL;
}

static void *blocker(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	while (!stop) {
		struct timespec t = { .tv_nsec = (long)pick(&r, 20) * 1000000 };

		raw_syscall(SYS_futex, (long)&word, FUTEX_WAIT, 0, (long)&t);
		blocked++;
		dawdle(&r);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t o, b[BLOCKERS];

	stress_seed(argc, argv);
	lowest = open("/dev/null", O_RDONLY);
	CHECK(lowest >= 0);
	CHECK_OK(close(lowest));
	o = spawn(opener, NULL);
	spawn_many(b, BLOCKERS, blocker);
	sleep_ms(SECONDS * 1000);
	stop = true;
	join_many(b, BLOCKERS);
	join(o);
	printf("opened %lu times, blocked %lu times\n", opened, blocked);
	CHECK(opened > 1000 && blocked > 100);
	CHECK_EQ(wrong, 0);
}
