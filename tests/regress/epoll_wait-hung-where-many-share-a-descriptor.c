// SPDX-License-Identifier: BSD-2-Clause
// More than 500 epoll instances of one descriptor, each waited in: the kernel lets ours watch 500 of them.  The next was
// taken for a sign that ours was lost, and nobody heard of anything in the new one; and where all were waited in already,
// the descriptor was refused to the program's.
#include "../posix/harness.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

enum { INSTANCES = 520, STACK = 64 * 1024 };

static int shared, instances[INSTANCES];
static atomic_int waiting, woken;

static void *waits(void *arg)
{
	int ep = instances[(intptr_t)arg];
	struct epoll_event event;

	waiting++;
	CHECK_EQ(epoll_wait(ep, &event, 1, -1), 1);
	CHECK_EQ(event.data.u32, 7);
	woken++;
	return NULL;
}

/* An instance in itself is refused, with threads in it or without. */
static void add(int i)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = 7 };

	CHECK_ERRNO(epoll_ctl(instances[i], EPOLL_CTL_ADD, instances[i], &event), EINVAL);
	if (i % 2)
		CHECK_OK(epoll_ctl(instances[i], EPOLL_CTL_ADD, shared, &event));
	else
		CHECK_OK(syscall(SYS_epoll_ctl, instances[i], EPOLL_CTL_ADD, shared, &event));
}

static void check(bool adds_first)
{
	pthread_t t[INSTANCES];
	pthread_attr_t attr;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setstacksize(&attr, STACK));
	CHECK((shared = eventfd(0, 0)) >= 0);
	waiting = woken = 0;
	for (int i = 0; i < INSTANCES; i++) {
		CHECK((instances[i] = epoll_create1(0)) >= 0);
		if (adds_first)
			add(i);
	}
	for (int i = 0; i < INSTANCES; i++)
		CHECK_OK(pthread_create(&t[i], &attr, waits, (void *)(intptr_t)i));
	WAIT_FOR(waiting == INSTANCES);
	settle();
	if (!adds_first)
		for (int i = 0; i < INSTANCES; i++)
			add(i);
	settle();
	CHECK_EQ(woken, 0);
	CHECK_OK(eventfd_write(shared, 1));
	join_many(t, INSTANCES);
	for (int i = 0; i < INSTANCES; i++)
		CHECK_OK(close(instances[i]));
	CHECK_OK(close(shared));
}

int main(void)
{
	struct rlimit limit;

	CHECK_OK(getrlimit(RLIMIT_NOFILE, &limit));
	if (limit.rlim_max < 2 * INSTANCES)
		skip("too few descriptors");
	if (limit.rlim_cur < 2 * INSTANCES) {
		limit.rlim_cur = 2 * INSTANCES;
		CHECK_OK(setrlimit(RLIMIT_NOFILE, &limit));
	}
	check(true);
	check(false);
}
