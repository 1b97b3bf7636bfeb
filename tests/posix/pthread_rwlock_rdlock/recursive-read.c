// SPDX-License-Identifier: BSD-2-Clause
// A thread may hold several read locks on one lock, even while a writer waits (default kind), and
// must unlock as often.
#include "../harness.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_bool wrote;

static void *writer(void *arg UNUSED)
{
	CHECK_OK(pthread_rwlock_wrlock(&lock));
	wrote = true;
	CHECK_OK(pthread_rwlock_unlock(&lock));
	return NULL;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pthread_rwlock_rdlock(&lock));
	t = spawn(writer, NULL);
	settle();
	CHECK_OK(pthread_rwlock_rdlock(&lock));
	CHECK_OK(pthread_rwlock_unlock(&lock));
	settle();
	CHECK(!wrote);
	CHECK_OK(pthread_rwlock_unlock(&lock));
	join(t);
	CHECK(wrote);
}
