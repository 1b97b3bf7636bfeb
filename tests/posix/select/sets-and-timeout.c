// SPDX-License-Identifier: BSD-2-Clause
// select waits, leaves only ready descriptors in its sets, counts them, and updates the timeout
// (Linux).
#include "../harness.h"
#include <sys/select.h>

static int p[2];
static atomic_bool timed_out;

static void *body(void *arg UNUSED)
{
	struct timeval v = { .tv_usec = 40000 };
	uint64_t start = now_ns();
	fd_set r, w;

	FD_ZERO(&r);
	FD_SET(p[0], &r);
	CHECK_EQ(select(p[0] + 1, &r, NULL, NULL, &v), 0);
	CHECK(now_ns() - start >= 40000000);
	CHECK(!FD_ISSET(p[0], &r));
	CHECK_EQ(v.tv_sec * 1000000 + v.tv_usec, 0);
	FD_SET(p[0], &r);
	timed_out = true;
	v = (struct timeval){ .tv_sec = WATCHDOG_SECONDS };
	CHECK_EQ(select(p[0] + 1, &r, NULL, NULL, &v), 1);
	CHECK(FD_ISSET(p[0], &r));
	CHECK(v.tv_sec < WATCHDOG_SECONDS);
	FD_ZERO(&w);
	FD_SET(p[1], &w);
	CHECK_EQ(select(p[1] + 1, &r, &w, NULL, NULL), 2);
	CHECK(FD_ISSET(p[0], &r) && FD_ISSET(p[1], &w));
	CHECK_OK(close(p[0]));
	CHECK_ERRNO(select(p[0] + 1, &r, NULL, NULL, NULL), EBADF);
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pipe(p));
	t = spawn(body, NULL);
	WAIT_FOR(timed_out);
	settle();
	CHECK_EQ(write(p[1], "x", 1), 1);
	join(t);
}
