// SPDX-License-Identifier: BSD-2-Clause
// An error-checking mutex that inherits priority tells its owner EDEADLK, as glibc has it; a time before 1970 is EINVAL
// where such a mutex is held, and of no account where it is free.
#include "../harness.h"

static pthread_mutex_t m;
static const struct timespec before_1970 = { -5, 1 };

static void *other(void *arg)
{
	CHECK_EQ(pthread_mutex_trylock(&m), EBUSY);
	CHECK_EQ(pthread_mutex_timedlock(&m, &before_1970), EINVAL);
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	CHECK_OK(pthread_mutex_init(&m, &a));
	CHECK_OK(pthread_mutex_timedlock(&m, &before_1970));
	CHECK_EQ(pthread_mutex_trylock(&m), EDEADLK);
	join(spawn(other, NULL));
	CHECK_OK(pthread_mutex_unlock(&m));
}
