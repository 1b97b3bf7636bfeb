// SPDX-License-Identifier: BSD-2-Clause
// A pidfd of a thread (pidfd_open(2), PIDFD_THREAD) is readable when the thread has ended, and not before.
#include "../harness.h"

enum { PIDFD_OF_THREAD = O_EXCL, TIMES = 3 };

static atomic_int tid;
static atomic_bool ends;

static void *body(void *arg)
{
	tid = gettid();
	WAIT_FOR(ends);
	return arg;
}

static int open_thread(void)
{
	int fd = (int)syscall(SYS_pidfd_open, (pid_t)tid, PIDFD_OF_THREAD);

	if (fd < 0 && errno == EINVAL)
		skip("no pidfd of a thread here");
	CHECK(fd >= 0);
	return fd;
}

int main(void)
{
	for (int i = 0; i < TIMES; i++) {
		struct pollfd f = { .events = POLLIN };
		pthread_t t = spawn(body, NULL);

		WAIT_FOR(tid);
		f.fd = open_thread();
		CHECK_EQ(poll(&f, 1, 50), 0);
		ends = true;
		CHECK_EQ(poll(&f, 1, PATIENCE_MS), 1);
		CHECK(f.revents & POLLIN);
		CHECK_OK(close(f.fd));
		join(t);
		ends = false;
		tid = 0;
	}
}
