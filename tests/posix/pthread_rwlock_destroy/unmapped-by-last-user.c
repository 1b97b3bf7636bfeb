// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_rwlock_destroy: undefined only while a thread holds the lock.  The one that gave up the last reference
// under it destroys it and disposes of its memory, though the others may not have returned from unlocking it yet.
#include "../disposed.h"

struct object {
	pthread_rwlock_t lock;
	int references;
};

static void make(void *object, int round)
{
	struct object *o = object;
	pthread_rwlockattr_t a;

	CHECK_OK(pthread_rwlockattr_init(&a));
	CHECK_OK(pthread_rwlockattr_setpshared(&a, disposed_is_shared(round)));
	CHECK_OK(pthread_rwlockattr_setkind_np(&a, round / 3 % 3));
	CHECK_OK(pthread_rwlock_init(&o->lock, &a));
	o->references = DISPOSED_USERS;
}

static void use(void *object, int user, int round)
{
	struct object *o = object;

	if ((user + round / 9) % 2) {
		CHECK_OK(pthread_rwlock_rdlock(&o->lock));
		CHECK(o->references > 0);
		CHECK_OK(pthread_rwlock_unlock(&o->lock));
	}
	CHECK_OK(pthread_rwlock_wrlock(&o->lock));
	bool is_last = --o->references == 0;

	if (user == round % 7)
		sched_yield();
	CHECK_OK(pthread_rwlock_unlock(&o->lock));
	if (!is_last)
		return;
	CHECK_OK(pthread_rwlock_destroy(&o->lock));
	dispose(o, round);
}

int main(void)
{
	disposed_run((struct disposed){ make, use });
}
