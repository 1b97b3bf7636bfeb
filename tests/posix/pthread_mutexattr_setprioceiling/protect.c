// SPDX-License-Identifier: BSD-2-Clause
// A ceiling mutex gives back its ceiling and locks; where the caller may not have that priority,
// EINVAL or EPERM is told.
#include "../harness.h"

static pthread_mutex_t lock;

static void *body(void *arg UNUSED)
{
	int rc = pthread_mutex_lock(&lock);

	CHECK(rc == 0 || rc == EPERM || rc == EINVAL);
	if (rc == 0)
		CHECK_OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;
	int v = -1;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, 3));
	CHECK_OK(pthread_mutexattr_getprioceiling(&a, &v));
	CHECK_EQ(v, 3);
	CHECK_EQ(pthread_mutexattr_setprioceiling(&a, 10000), EINVAL);
	CHECK_OK(pthread_mutex_init(&lock, &a));
	CHECK_OK(pthread_mutex_getprioceiling(&lock, &v));
	CHECK_EQ(v, 3);
	join(spawn(body, NULL));
}
