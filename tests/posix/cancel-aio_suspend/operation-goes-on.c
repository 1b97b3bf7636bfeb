// SPDX-License-Identifier: BSD-2-Clause
// aio_suspend, timed or not, is a cancellation point (POSIX, 2.9.5.2).  The operation that it waited for goes on, and
// another thread can wait for it.
#include "../cancel.h"

#include <aio.h>

static void call(void *arg)
{
	const struct aiocb *list[] = { arg };

	while (aio_suspend(list, 1, NULL) == -1)
		CHECK_EQ(errno, EINTR);
}

static void call_timed(void *arg)
{
	const struct aiocb *list[] = { NULL, arg };

	while (aio_suspend(list, 2, &(struct timespec){ .tv_sec = 2 * WATCHDOG_SECONDS }) == -1)
		CHECK_EQ(errno, EINTR);
}

static void *suspends(void *arg)
{
	const struct aiocb *list[] = { arg };

	while (aio_error(arg) == EINPROGRESS)
		CHECK(aio_suspend(list, 1, NULL) == 0 || errno == EINTR);
	return arg;
}

int main(void)
{
	char c = 0;
	struct aiocb cb = { .aio_buf = &c, .aio_nbytes = 1 };
	int p[2];
	pthread_t t;

	CHECK_OK(pipe(p));
	cb.aio_fildes = p[0];
	CHECK_OK(aio_read(&cb));
	check_cancels(call, &cb);
	check_cancels(call_timed, &cb);
	CHECK_EQ(aio_error(&cb), EINPROGRESS);
	t = spawn(suspends, &cb);
	CHECK_EQ(write(p[1], "y", 1), 1);
	CHECK(join(t) == &cb);
	CHECK_EQ(aio_return(&cb), 1);
	CHECK_EQ(c, 'y');
}
