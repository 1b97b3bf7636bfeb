// SPDX-License-Identifier: BSD-2-Clause
// Calls on memory, owners of descriptors and shared cores take what gettid said in another thread, as the kernel does: there
// is such a thread (migrate_pages(2), move_pages(2), ioctl(2) with FIOSETOWN and SIOCSPGRP, prctl(2) with PR_SCHED_CORE).
#include "../harness.h"

#include <sys/ioctl.h>
#include <sys/prctl.h>

#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif

enum { CORE_GET = 0, OF_THREAD = 0, NODES = 64 };

static atomic_int tid;
static atomic_bool ends;

static void *other(void *arg)
{
	tid = gettid();
	WAIT_FOR(ends);
	return arg;
}

static void *names_it(void *arg)
{
	int sockets[2], number = tid;
	unsigned long node = 1;
	uint64_t cookie = 0;

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	CHECK_OK(ioctl(sockets[0], FIOSETOWN, &number));
	CHECK_OK(ioctl(sockets[0], SIOCSPGRP, &number));
	CHECK_OK(syscall(SYS_ioctl, sockets[0], FIOSETOWN, &number));
	CHECK_EQ(number, tid);
	if (syscall(SYS_migrate_pages, number, NODES, &node, &node) < 0)
		CHECK(errno != ESRCH);
	if (syscall(SYS_move_pages, number, 0, NULL, NULL, NULL, 0) < 0)
		CHECK(errno != ESRCH);
	if (prctl(PR_SCHED_CORE, CORE_GET, number, OF_THREAD, &cookie) < 0)
		CHECK(errno != ESRCH);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(other, NULL);

	WAIT_FOR(tid);
	join(spawn(names_it, NULL));
	names_it(NULL);
	ends = true;
	join(t);
}
