// SPDX-License-Identifier: BSD-2-Clause
// With PREFER_WRITER_NONRECURSIVE a reader that comes after a waiting writer waits behind it.
#include "../harness.h"

static pthread_rwlock_t lock;
static atomic_int wrote, asked;

static void *writer(void *arg UNUSED)
{
	asked++;
	CHECK_OK(pthread_rwlock_wrlock(&lock));
	wrote = 1;
	CHECK_OK(pthread_rwlock_unlock(&lock));
	return NULL;
}

static void *reader(void *arg UNUSED)
{
	asked++;
	CHECK_OK(pthread_rwlock_rdlock(&lock));
	CHECK_EQ(wrote, 1);
	CHECK_OK(pthread_rwlock_unlock(&lock));
	return NULL;
}

static bool writer_waits(void)
{
	int rc = pthread_rwlock_tryrdlock(&lock);

	if (rc == 0)
		CHECK_OK(pthread_rwlock_unlock(&lock));
	return rc == EBUSY;
}

int main(void)
{
	pthread_rwlockattr_t a;
	pthread_t w, r;
	int kind = -1;

	CHECK_OK(pthread_rwlockattr_init(&a));
	CHECK_OK(pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
	CHECK_OK(pthread_rwlockattr_getkind_np(&a, &kind));
	CHECK_EQ(kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	CHECK_OK(pthread_rwlock_init(&lock, &a));
	CHECK_OK(pthread_rwlock_rdlock(&lock));
	w = spawn(writer, NULL);
	WAIT_FOR(writer_waits());
	r = spawn(reader, NULL);
	WAIT_FOR(asked == 2);
	settle();
	CHECK_OK(pthread_rwlock_unlock(&lock));
	join(w);
	join(r);
}
