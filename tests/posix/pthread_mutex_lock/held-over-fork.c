// SPDX-License-Identifier: BSD-2-Clause
// A mutex that the forking thread holds can be unlocked and used in the child.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t rec = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	return NULL;
}

static void child(void)
{
	pthread_t t = spawn(body, NULL);

	settle();
	CHECK_OK(pthread_mutex_unlock(&lock));
	join(t);
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
}

static void *forks(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_mutex_lock(&rec));
	CHECK_EQ(in_child(child), 0);
	CHECK_OK(pthread_mutex_unlock(&rec));
	CHECK_OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(void)
{
	join(spawn(forks, NULL));
}
