// SPDX-License-Identifier: BSD-2-Clause
// A file of /proc tells an event to the first who polls it, once: that was the runtime.  So too in an epoll instance of
// the program's.
#include "../posix/parked.h"

#include <sys/epoll.h>

static void *renames(void *arg)
{
	settle();
	CHECK_OK(sethostname(arg, strlen(arg)));
	return arg;
}

static int open_name(void)
{
	int fd = open("/proc/sys/kernel/hostname", O_RDONLY);
	char was[256];

	CHECK(fd >= 0);
	CHECK(read(fd, was, sizeof was) >= 0);
	return fd;
}

static void *body(void *arg)
{
	struct epoll_event ev = { .events = EPOLLERR }, got;
	struct pollfd p = { .fd = open_name() };
	int ep = epoll_create1(0);
	pthread_t other = spawn(renames, "one");

	CHECK_EQ(poll(&p, 1, -1), 1);
	join(other);
	CHECK_EQ(epoll_wait(ep, &got, 1, 1), 0);
	CHECK_OK(epoll_ctl(ep, EPOLL_CTL_ADD, open_name(), &ev));
	other = spawn(renames, "two");
	CHECK_EQ(epoll_wait(ep, &got, 1, -1), 1);
	join(other);
	return arg;
}

int main(void)
{
	if (unshare(CLONE_NEWUTS) && unshare(CLONE_NEWUSER | CLONE_NEWUTS))
		skip("no host name of its own to be had");
	if (sethostname("none", 4))
		skip("the host name cannot be set");
	run_beside_parked(body);
}
