// SPDX-License-Identifier: BSD-2-Clause
// Any number of readers hold the lock at once.
#include "../harness.h"

#define N 8

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int inside;

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_rwlock_rdlock(&lock));
	inside++;
	WAIT_FOR(inside == N);
	CHECK_OK(pthread_rwlock_unlock(&lock));
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_OK(pthread_rwlock_destroy(&lock));
}
