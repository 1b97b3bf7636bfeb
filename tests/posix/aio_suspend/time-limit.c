// SPDX-License-Identifier: BSD-2-Clause
// aio_suspend with a time limit fails with EAGAIN when that is over, and not before, nor with EINTR where no signal has
// been caught (POSIX, aio_suspend: EINTR "a signal interrupted"), whatever other threads do meanwhile.
#include "../harness.h"

#include <aio.h>

enum { LIMIT_MS = 300 };

static atomic_bool stop;
static struct aiocb cb;

static void *computes(void *arg)
{
	while (!stop)
		__asm__ volatile("" ::: "memory");
	return arg;
}

static void *suspends(void *arg)
{
	const struct aiocb *list[] = { &cb };
	struct timespec limit = ms_span(LIMIT_MS);
	uint64_t began = now_ns();

	CHECK_ERRNO(aio_suspend(list, 1, &limit), EAGAIN);
	CHECK(now_ns() - began >= LIMIT_MS * 1000000ull);
	return arg;
}

int main(void)
{
	pthread_t busy = spawn(computes, NULL), t[2];
	char c = 0;
	int p[2];

	CHECK_OK(pipe(p));
	cb = (struct aiocb){ .aio_fildes = p[0], .aio_buf = &c, .aio_nbytes = 1 };
	CHECK_OK(aio_read(&cb));
	spawn_many(t, 2, suspends);
	join_many(t, 2);
	stop = true;
	join(busy);
	CHECK_EQ(aio_error(&cb), EINPROGRESS);
}
