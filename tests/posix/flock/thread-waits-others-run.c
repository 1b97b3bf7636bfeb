// SPDX-License-Identifier: BSD-2-Clause
// flock waits for a lock held through another open file, and other threads run meanwhile.
#include "../harness.h"
#include <sys/file.h>

static char path[64];
static atomic_bool waiting, locked;
static int first;

static void *body(void *arg UNUSED)
{
	int fd = open(path, O_RDWR);

	waiting = true;
	CHECK_OK(flock(fd, LOCK_EX));
	locked = true;
	CHECK_OK(close(fd));
	return NULL;
}

static void *other(void *arg UNUSED)
{
	for (int i = 0; i < 50; i++)
		sched_yield();
	return NULL;
}

int main(void)
{
	pthread_t t[4], o;

	strcpy(path, fresh_path());
	first = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	CHECK_OK(flock(first, LOCK_EX));
	spawn_many(t, 4, body);
	WAIT_FOR(waiting);
	settle();
	o = spawn(other, NULL);
	join(o);
	CHECK(!locked);
	CHECK_OK(flock(first, LOCK_UN));
	join_many(t, 4);
	CHECK_OK(unlink(path));
}
