// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_rwlockattr_setpshared: a process-shared lock may be operated upon by any thread that has access to its
// memory.  Threads of a program and of one that it executed, which maps the lock at another address and may have
// nothing preloaded, read together; and those of one side wait, with and without a limit, for who holds it on the
// other.
#include "../pshared/partner.h"

enum { THREADS = 4, ROUNDS = 60 };

static struct shared {
	pthread_rwlock_t lock;
	int a, b;			/* guarded by it */
	bool is_held;
	atomic_int met, waiting, reading;
} *s;

static void prepare(void *memory)
{
	pthread_rwlockattr_t a;

	s = memory;
	CHECK_OK(pthread_rwlockattr_init(&a));
	CHECK_OK(pthread_rwlockattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_rwlock_init(&s->lock, &a));
}

static void lock_for(bool writes, bool has_limit)
{
	struct timespec limit = in_ms(CLOCK_REALTIME, WATCHDOG_SECONDS * 1000);

	if (writes)
		CHECK_OK(has_limit ? pthread_rwlock_timedwrlock(&s->lock, &limit) : pthread_rwlock_wrlock(&s->lock));
	else
		CHECK_OK(has_limit ? pthread_rwlock_timedrdlock(&s->lock, &limit) : pthread_rwlock_rdlock(&s->lock));
}

/* A writer of the other side holds it: two threads are to read, two to write. */
static void *waits_for_writer(void *arg)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 5);

	CHECK_EQ(pthread_rwlock_tryrdlock(&s->lock), EBUSY);
	CHECK_EQ(pthread_rwlock_timedrdlock(&s->lock, &soon), ETIMEDOUT);
	soon = in_ms(CLOCK_REALTIME, 5);
	CHECK_EQ(pthread_rwlock_timedwrlock(&s->lock, &soon), ETIMEDOUT);
	atomic_fetch_add(&s->waiting, 1);
	lock_for((intptr_t)arg / 2, (intptr_t)arg % 2);
	CHECK(!s->is_held);
	CHECK_OK(pthread_rwlock_unlock(&s->lock));
	return NULL;
}

/* One of the other side does: who only reads does not wait. */
static void *waits_for_reader(void *arg)
{
	CHECK_EQ(pthread_rwlock_trywrlock(&s->lock), EBUSY);
	CHECK_OK(pthread_rwlock_tryrdlock(&s->lock));
	CHECK_OK(pthread_rwlock_unlock(&s->lock));
	atomic_fetch_add(&s->reading, 1);
	WAIT_FOR(atomic_load(&s->reading) == THREADS);
	atomic_fetch_add(&s->waiting, 1);
	lock_for(true, (intptr_t)arg % 2);
	CHECK(!s->is_held);
	CHECK_OK(pthread_rwlock_unlock(&s->lock));
	return NULL;
}

static void *holds(void *turn)
{
	bool writes = (intptr_t)turn <= 2;

	lock_for(writes, false);
	s->is_held = true;
	meet(&s->met, (int)(intptr_t)turn);
	WAIT_FOR(atomic_load(&s->waiting) == THREADS);
	settle();
	s->is_held = false;
	atomic_store(&s->waiting, 0);
	atomic_store(&s->reading, 0);
	CHECK_OK(pthread_rwlock_unlock(&s->lock));
	return NULL;
}

static void *reads_and_writes(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		lock_for(true, i % 2);
		s->a++;
		if (i % 20 == 0)
			sleep_ms(1);
		s->b++;
		CHECK_OK(pthread_rwlock_unlock(&s->lock));
		lock_for(false, i % 3);
		CHECK_EQ(s->a, s->b);
		CHECK_OK(pthread_rwlock_unlock(&s->lock));
	}
	return arg;
}

static void act(void *memory, int side)
{
	pthread_t t[THREADS];

	s = memory;
	for (int turn = 1; turn <= 4; turn++) {
		if (turn % 2 == side) {
			join(spawn(holds, (void *)(intptr_t)turn));
			continue;
		}
		meet(&s->met, turn);
		spawn_many(t, THREADS, turn <= 2 ? waits_for_writer : waits_for_reader);
		join_many(t, THREADS);
	}
	spawn_many(t, THREADS / 2, reads_and_writes);
	join_many(t, THREADS / 2);
	meet(&s->met, 5);
	CHECK_EQ(s->a, THREADS * ROUNDS);
}

int main(int argc, char **argv)
{
	static const struct play play = { sizeof(struct shared), prepare, act };

	return play_with_partners(argc, argv, &play);
}
