// SPDX-License-Identifier: BSD-2-Clause
// A destructor runs as the thread: it can lock, sleep and use its own thread-local data.
#include "../harness.h"

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int own;
static int calls;

static void destroy(void *p)
{
	CHECK_EQ(own, (intptr_t)p);
	pthread_mutex_lock(&lock);
	sleep_ms(1);
	calls++;
	pthread_mutex_unlock(&lock);
}

static void *body(void *arg)
{
	own = (int)(intptr_t)arg + 1;
	CHECK_OK(pthread_setspecific(key, (char *)arg + 1));
	return NULL;
}

int main(void)
{
	pthread_t t[8];

	CHECK_OK(pthread_key_create(&key, destroy));
	spawn_many(t, 8, body);
	join_many(t, 8);
	CHECK_EQ(calls, 8);
}
