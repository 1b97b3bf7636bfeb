// SPDX-License-Identifier: BSD-2-Clause
// The owner of a priority-inheritance mutex runs at the priority of a thread that waits for it, until
// it unlocks.
#include "../harness.h"

#include <stdlib.h>

static pthread_mutex_t m;
static atomic_int owner;
static atomic_bool waits, raised, lowered;

/* Field 18 of a thread's stat: -1 minus the real-time priority that is in force. */
static int in_force(int tid)
{
	char path[64], text[512] = "", *at;
	int fd, n = 18 - 2;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
	close(fd);
	for (at = strrchr(text, ')'); n > 0; n--)
		at = strchr(at + 1, ' ');
	return -1 - atoi(at);
}

static void fifo(int priority)
{
	struct sched_param p = { .sched_priority = priority };
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
}

static void *low(void *arg)
{
	struct sched_param p;
	int policy;
	char self[32] = "";		/* readlink ends it with nothing */

	fifo(3);
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK(readlink("/proc/thread-self", self, sizeof self - 1) > 0);
	owner = atoi(strrchr(self, '/') + 1);
	WAIT_FOR(raised);
	CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &p));
	CHECK_EQ(p.sched_priority, 3);
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 3);
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_EQ(in_force(owner), 3);
	lowered = true;
	return arg;
}

static void *high(void *arg)
{
	WAIT_FOR(owner);
	fifo(40);
	waits = true;
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t[2];

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	CHECK_OK(pthread_mutex_init(&m, &a));
	t[0] = spawn(low, NULL);
	t[1] = spawn(high, NULL);
	WAIT_FOR(waits);
	WAIT_FOR(in_force(owner) == 40);
	raised = true;
	join_many(t, 2);
	CHECK(lowered);
}
