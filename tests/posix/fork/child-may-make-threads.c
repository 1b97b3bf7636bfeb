// SPDX-License-Identifier: BSD-2-Clause
// A child of a multi-threaded process may make threads, locks and conditions of its own.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;
static atomic_bool over;

static void *adds(void *arg)
{
	for (int i = 0; i < 100; i++) {
		CHECK_OK(pthread_mutex_lock(&m));
		count++;
		CHECK_OK(pthread_mutex_unlock(&m));
	}
	return arg;
}

static void *other(void *arg)
{
	WAIT_FOR(over);
	return arg;
}

static void child(void)
{
	pthread_t t[4];

	spawn_many(t, 4, adds);
	join_many(t, 4);
	CHECK_EQ(count, 400);
}

static void *forks(void *arg)
{
	CHECK_EQ(in_child(child), 0);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(other, NULL);

	join(spawn(forks, NULL));
	CHECK_EQ(in_child(child), 0);
	CHECK_EQ(count, 0);
	over = true;
	join(t);
}
