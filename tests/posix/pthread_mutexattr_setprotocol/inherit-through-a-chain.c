// SPDX-License-Identifier: BSD-2-Clause
// Inheritance passes through an owner that itself waits for another such mutex.
#include "../harness.h"

#include <stdlib.h>

static pthread_mutex_t first, second;
static atomic_int owner;
static atomic_bool middle_waits, raised;

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
	char self[32] = "";		/* readlink ends it with nothing */

	fifo(3);
	CHECK_OK(pthread_mutex_lock(&first));
	CHECK(readlink("/proc/thread-self", self, sizeof self - 1) > 0);
	owner = atoi(strrchr(self, '/') + 1);
	WAIT_FOR(raised);
	CHECK_OK(pthread_mutex_unlock(&first));
	return arg;
}

static void *middle(void *arg)
{
	WAIT_FOR(owner);
	fifo(5);
	CHECK_OK(pthread_mutex_lock(&second));
	middle_waits = true;
	CHECK_OK(pthread_mutex_lock(&first));
	CHECK_OK(pthread_mutex_unlock(&first));
	CHECK_OK(pthread_mutex_unlock(&second));
	return arg;
}

static void *high(void *arg)
{
	WAIT_FOR(middle_waits);
	fifo(40);
	CHECK_OK(pthread_mutex_lock(&second));
	CHECK_OK(pthread_mutex_unlock(&second));
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t[3];

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	CHECK_OK(pthread_mutex_init(&first, &a));
	CHECK_OK(pthread_mutex_init(&second, &a));
	t[0] = spawn(low, NULL);
	t[1] = spawn(middle, NULL);
	t[2] = spawn(high, NULL);
	WAIT_FOR(owner);
	WAIT_FOR(in_force(owner) == 40);
	raised = true;
	join_many(t, 3);
}
