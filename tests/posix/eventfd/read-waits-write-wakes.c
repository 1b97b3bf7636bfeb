// SPDX-License-Identifier: BSD-2-Clause
// A read of an eventfd at 0 waits for a write; a write that would overflow waits for a read.
#include "../harness.h"

#include <sys/eventfd.h>

static int fd;
static atomic_int step;

static void *body(void *arg)
{
	eventfd_t v = 0;

	step = 1;
	CHECK_OK(eventfd_read(fd, &v));
	CHECK_EQ(v, 3);
	CHECK_OK(eventfd_write(fd, UINT64_MAX - 1));
	step = 2;
	CHECK_OK(eventfd_write(fd, 1));
	step = 3;
	return arg;
}

int main(void)
{
	eventfd_t v;
	pthread_t t;

	CHECK((fd = eventfd(0, 0)) >= 0);
	t = spawn(body, NULL);
	WAIT_FOR(step == 1);
	settle();
	CHECK_OK(eventfd_write(fd, 3));
	WAIT_FOR(step == 2);
	settle();
	CHECK_EQ(step, 2);
	CHECK_OK(eventfd_read(fd, &v));
	join(t);
	CHECK_EQ(step, 3);
}
