// SPDX-License-Identifier: BSD-2-Clause
// The classic use: prepare locks a mutex that others use all the time, parent and child unlock it.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool stop;

static void take(void)
{
	CHECK_OK(pthread_mutex_lock(&lock));
}

static void give(void)
{
	CHECK_OK(pthread_mutex_unlock(&lock));
}

static void *body(void *arg UNUSED)
{
	while (!stop) {
		take();
		sched_yield();
		give();
	}
	return NULL;
}

static void child(void)
{
	take();
	give();
}

int main(void)
{
	pthread_t t[3];

	CHECK_OK(pthread_atfork(take, give, give));
	spawn_many(t, 3, body);
	for (int i = 0; i < 20; i++)
		CHECK_EQ(in_child(child), 0);
	stop = true;
	join_many(t, 3);
}
