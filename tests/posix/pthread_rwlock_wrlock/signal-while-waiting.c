// SPDX-License-Identifier: BSD-2-Clause
// A handler that runs while a thread waits for the lock does not end the wait.
#include "../harness.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int handled, waiting, got;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg)
{
	waiting++;
	if (arg)
		CHECK_OK(pthread_rwlock_wrlock(&l));
	else
		CHECK_OK(pthread_rwlock_rdlock(&l));
	got++;
	CHECK_OK(pthread_rwlock_unlock(&l));
	return arg;
}

int main(void)
{
	pthread_t t[2];

	on_signal(SIGUSR1, handler, 0);
	CHECK_OK(pthread_rwlock_wrlock(&l));
	spawn_many(t, 2, body);
	WAIT_FOR(waiting == 2);
	settle();
	CHECK_OK(pthread_kill(t[0], SIGUSR1));
	CHECK_OK(pthread_kill(t[1], SIGUSR1));
	settle();
	CHECK_EQ(got, 0);
	CHECK_OK(pthread_rwlock_unlock(&l));
	join_many(t, 2);
	CHECK_EQ(handled, 2);
}
