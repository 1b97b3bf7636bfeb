// SPDX-License-Identifier: BSD-2-Clause
// Readers, writers, tries and deadlines on a handful of read-write locks of both kinds: the
// guarded pairs are never seen unequal.
#include "stress.h"

#define LOCKS 3
#define N 12
#define ROUNDS 15000

static struct {
	pthread_rwlock_t lock;
	volatile long a, b;
	atomic_long writes;
} cell[LOCKS];

static int take(pthread_rwlock_t *l, bool write, uint64_t *r)
{
	struct timespec at;

	switch (pick(r, 3)) {
	case 0:
		return write ? pthread_rwlock_trywrlock(l) : pthread_rwlock_tryrdlock(l);
	case 1:
		at = in_ms(CLOCK_REALTIME, (long)pick(r, 3));
		return write ? pthread_rwlock_timedwrlock(l, &at) :
			       pthread_rwlock_timedrdlock(l, &at);
	default:
		return write ? pthread_rwlock_wrlock(l) : pthread_rwlock_rdlock(l);
	}
}

static void *body(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	for (int i = 0; i < ROUNDS; i++) {
		int k = (int)pick(&r, LOCKS);
		bool write = pick(&r, 4) == 0;
		int rc = take(&cell[k].lock, write, &r);

		if (rc != 0) {
			CHECK(rc == EBUSY || rc == ETIMEDOUT);
			continue;
		}
		CHECK_EQ(cell[k].a, cell[k].b);
		if (write) {
			cell[k].a = cell[k].a + 1;
			if (pick(&r, 8) == 0)
				dawdle(&r);
			cell[k].b = cell[k].b + 1;
			cell[k].writes++;
		}
		CHECK_OK(pthread_rwlock_unlock(&cell[k].lock));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_rwlockattr_t a;
	pthread_t t[N];

	stress_seed(argc, argv);
	CHECK_OK(pthread_rwlockattr_init(&a));
	for (int i = 0; i < LOCKS; i++) {
		if (i == 1)
			pthread_rwlockattr_setkind_np(
				&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
		CHECK_OK(pthread_rwlock_init(&cell[i].lock, &a));
	}
	spawn_many(t, N, body);
	join_many(t, N);
	for (int i = 0; i < LOCKS; i++) {
		CHECK_EQ(cell[i].a, cell[i].writes);
		CHECK_OK(pthread_rwlock_destroy(&cell[i].lock));
	}
}
