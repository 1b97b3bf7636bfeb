// SPDX-License-Identifier: BSD-2-Clause
/*
 * What libc's own calls say on our threads: pthread_getattr_np gives the stack that the thread runs on,
 * and a descriptor that close has freed is not taken for what it was, before the first thread too.
 */
#include <pthread.h>
#include <sys/socket.h>

#include "check.h"

static void *look_at_stack(void *arg)
{
	pthread_attr_t attr;
	char *low = NULL, *here = __builtin_frame_address(0);
	size_t bytes = 0;

	CHECK_IS(pthread_getattr_np(pthread_self(), &attr), 0);
	CHECK_IS(pthread_attr_getstack(&attr, (void **)&low, &bytes), 0);
	CHECK(here > low && here < low + bytes);
	CHECK_IS(pthread_attr_destroy(&attr), 0);
	return arg;
}

static void reuse_a_number(void)
{
	int ends[2], again[2];
	char c = 0;

	CHECK_IS(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	CHECK_IS(upcall_write(ends[0], "s", 1), 1);
	CHECK_IS(upcall_read(ends[1], &c, 1), 1);
	close(ends[0]);
	close(ends[1]);
	CHECK_IS(pipe(again), 0);
	CHECK(again[0] == ends[0] && again[1] == ends[1]);
	CHECK_IS(upcall_write(again[1], "p", 1), 1);
	CHECK_IS(upcall_read(again[0], &c, 1), 1);
	CHECK(c == 'p');
	close(again[0]);
	close(again[1]);
}

static void test(void)
{
	reuse_a_number();
	join(spawn(look_at_stack, NULL));
	look_at_stack(NULL);
	reuse_a_number();
}
