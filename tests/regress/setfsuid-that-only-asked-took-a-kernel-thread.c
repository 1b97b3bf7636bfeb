// SPDX-License-Identifier: BSD-2-Clause
// Who only asks for the file system's user and group is told his own, whatever other threads have set.
#include "../posix/harness.h"

#include <sys/fsuid.h>

enum { OTHER_ID = 65534, THREADS = 16 };

static pthread_barrier_t is_set, asked;
static int uid, gid;

static void is(int wanted_uid, int wanted_gid)
{
	CHECK_EQ(setfsuid((uid_t)-1), wanted_uid);
	CHECK_EQ(setfsgid((gid_t)-1), wanted_gid);
	CHECK_EQ(syscall(SYS_setfsuid, -1), wanted_uid);
	CHECK_EQ(syscall(SYS_setfsgid, -1), wanted_gid);
}

static void *sets(void *arg)
{
	setfsgid(OTHER_ID);
	setfsuid(OTHER_ID);
	is(OTHER_ID, OTHER_ID);
	pthread_barrier_wait(&is_set);
	pthread_barrier_wait(&asked);
	is(OTHER_ID, OTHER_ID);
	return arg;
}

static void *asks(void *arg)
{
	is(uid, gid);
	sched_yield();
	is(uid, gid);
	return arg;
}

int main(void)
{
	pthread_t t, others[THREADS];

	if (geteuid() != 0)
		skip("only root may set others");
	uid = setfsuid((uid_t)-1);
	gid = setfsgid((gid_t)-1);
	CHECK_OK(pthread_barrier_init(&is_set, NULL, 2));
	CHECK_OK(pthread_barrier_init(&asked, NULL, 2));
	t = spawn(sets, NULL);
	pthread_barrier_wait(&is_set);
	spawn_many(others, THREADS, asks);
	join_many(others, THREADS);
	is(uid, gid);
	pthread_barrier_wait(&asked);
	join(t);
}
