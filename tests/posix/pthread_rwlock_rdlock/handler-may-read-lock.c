// SPDX-License-Identifier: BSD-2-Clause
// A handler may take a read lock that its thread holds already.
#include "../harness.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int handled;

static void handler(int sig UNUSED)
{
	CHECK_OK(pthread_rwlock_rdlock(&l));
	CHECK_OK(pthread_rwlock_unlock(&l));
	handled++;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_rwlock_rdlock(&l));
	CHECK_OK(raise(SIGUSR1));
	CHECK_EQ(handled, 1);
	CHECK_EQ(pthread_rwlock_trywrlock(&l), EBUSY);
	CHECK_OK(pthread_rwlock_unlock(&l));
	CHECK_OK(pthread_rwlock_trywrlock(&l));
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	join(spawn(body, NULL));
}
