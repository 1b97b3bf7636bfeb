// SPDX-License-Identifier: BSD-2-Clause
// An eventfd's read waits for a value and takes it whole, or one at a time as a semaphore; a write
// that would overflow waits.
#include "../harness.h"
#include <sys/eventfd.h>

static int fd, sem, full;
static atomic_int step;

static void *body(void *arg UNUSED)
{
	eventfd_t v;

	CHECK_OK(eventfd_read(fd, &v));
	CHECK_EQ(v, 5);
	for (int i = 0; i < 3; i++) {
		CHECK_OK(eventfd_read(sem, &v));
		CHECK_EQ(v, 1);
	}
	step = 1;
	CHECK_OK(eventfd_write(full, 2));
	step = 2;
	return NULL;
}

int main(void)
{
	pthread_t t;
	eventfd_t v;

	fd = eventfd(0, 0);
	sem = eventfd(0, EFD_SEMAPHORE);
	full = eventfd(0, 0);
	CHECK_OK(eventfd_write(full, 0xfffffffffffffffe));
	t = spawn(body, NULL);
	settle();
	CHECK_OK(eventfd_write(fd, 5));
	CHECK_OK(eventfd_write(sem, 3));
	WAIT_FOR(step == 1);
	settle();
	CHECK_EQ(step, 1);
	CHECK_OK(eventfd_read(full, &v));
	join(t);
	CHECK_EQ(step, 2);
}
