// SPDX-License-Identifier: BSD-2-Clause
// An io_uring that is of one thread alone (IORING_SETUP_SINGLE_ISSUER, DEFER_TASKRUN) is so among many that wait.
#include "../harness.h"
#include <linux/io_uring.h>

enum { CALLS = 300, OTHERS = 4, SINGLE_ISSUER = 1 << 12, DEFER_TASKRUN = 1 << 13 };

static atomic_bool stop;

static void *waits(void *arg)
{
	while (!stop)
		usleep(200);
	return arg;
}

static void *map(int fd, size_t bytes, off_t at)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);

	CHECK(p != MAP_FAILED);
	return p;
}

static void *issues(void *arg)
{
	struct io_uring_params p = { .flags = (unsigned)(uintptr_t)arg };
	int fd = (int)syscall(SYS_io_uring_setup, 8, &p);

	if (fd < 0)
		return "no io_uring of this kind";
	char *sq = map(fd, p.sq_off.array + 8 * sizeof(unsigned), IORING_OFF_SQ_RING);
	char *cq = map(fd, p.cq_off.cqes + 16 * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	struct io_uring_sqe *entries = map(fd, 8 * sizeof(*entries), IORING_OFF_SQES);
	atomic_uint *sq_tail = (void *)(sq + p.sq_off.tail), *cq_head = (void *)(cq + p.cq_off.head);
	unsigned *array = (void *)(sq + p.sq_off.array);

	for (unsigned i = 0; i < CALLS; i++) {
		unsigned at = *sq_tail % 8;

		memset(&entries[at], 0, sizeof(entries[at]));
		entries[at].opcode = IORING_OP_NOP;
		array[at] = at;
		++*sq_tail;
		CHECK_EQ(syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0), 1);
		++*cq_head;
		usleep(100);
	}
	CHECK_OK(close(fd));
	return NULL;
}

int main(void)
{
	static const unsigned kinds[] = { 0, SINGLE_ISSUER, SINGLE_ISSUER | DEFER_TASKRUN };
	pthread_t others[OTHERS];
	const char *why = NULL;

	spawn_many(others, OTHERS, waits);
	for (int i = 0; i < 3 && !why; i++)
		why = join(spawn(issues, (void *)(uintptr_t)kinds[i]));
	stop = true;
	join_many(others, OTHERS);
	if (why)
		skip(why);
}
