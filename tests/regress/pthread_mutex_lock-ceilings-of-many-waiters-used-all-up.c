// SPDX-License-Identifier: BSD-2-Clause
// Any number of real-time threads may wait for a mutex with a ceiling, and one may hold any number of them.
#include "../posix/ceiling.h"

enum { MANY = 100 };

static pthread_mutex_t m[MANY];
static atomic_int begun;

static void *waits(void *arg UNUSED)
{
	become_real_time();
	begun++;
	CHECK_OK(pthread_mutex_lock(&m[0]));
	CHECK_EQ(shown_priority(), CEILING);
	CHECK_OK(pthread_mutex_unlock(&m[0]));
	CHECK_EQ(shown_priority(), OWN);
	return NULL;
}

static void *holds_all(void *arg UNUSED)
{
	become_real_time();
	for (int i = 0; i < MANY; i++)
		CHECK_OK(pthread_mutex_lock(&m[i]));
	for (int i = 0; i < MANY; i++) {
		CHECK_EQ(shown_priority(), CEILING);
		CHECK_OK(pthread_mutex_unlock(&m[i]));
	}
	CHECK_EQ(shown_priority(), OWN);
	return NULL;
}

int main(void)
{
	pthread_t t[MANY];

	for (int i = 0; i < MANY; i++)
		make_ceiling(&m[i], PTHREAD_PROCESS_PRIVATE);
	become_real_time();
	CHECK_OK(pthread_mutex_lock(&m[0]));
	spawn_many(t, MANY, waits);
	WAIT_FOR(begun == MANY);
	settle();
	CHECK_OK(pthread_mutex_unlock(&m[0]));
	join_many(t, MANY);
	join(spawn(holds_all, NULL));
}
