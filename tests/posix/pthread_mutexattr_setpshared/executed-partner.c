// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_mutexattr_setpshared: a process-shared mutex may be operated upon by any thread that has access to its
// memory.  Threads of a program and of one that it executed, which maps the mutex at another address and may have
// nothing preloaded, exclude each other, are told that it is held, and wait with and without a limit: every type.
#include "../pshared/partner.h"

enum { KINDS = 5, THREADS = 3, ROUNDS = 60 };

static const int kinds[KINDS][2] = {
	{ PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE }, { PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE },
	{ PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE }, { PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE },
	{ PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_INHERIT },
};

struct object {
	pthread_mutex_t m;
	int count, held;		/* guarded by it */
	atomic_int waiting;
};

static struct shared {
	struct object of[KINDS];
	atomic_int met;
} *s;

static struct object *o;		/* of the turn, as the next two */
static pthread_mutex_t *m;
static int kind;

static void prepare(void *memory)
{
	pthread_mutexattr_t a;

	s = memory;
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	for (int i = 0; i < KINDS; i++) {
		CHECK_OK(pthread_mutexattr_settype(&a, kinds[i][0]));
		CHECK_OK(pthread_mutexattr_setprotocol(&a, kinds[i][1]));
		CHECK_OK(pthread_mutex_init(&s->of[i].m, &a));
	}
}

static void *counts(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct timespec limit = in_ms(CLOCK_REALTIME, WATCHDOG_SECONDS * 1000);

		CHECK_OK(i % 3 ? pthread_mutex_lock(m) : pthread_mutex_timedlock(m, &limit));
		CHECK_EQ(o->held++, 0);
		o->count++;
		if (i % 30 == 0)
			sleep_ms(1);
		o->held--;
		CHECK_OK(pthread_mutex_unlock(m));
	}
	return arg;
}

/* While a thread of the other side holds it. */
static void *finds_it_held(void *arg)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 5), later = in_ms(CLOCK_REALTIME, WATCHDOG_SECONDS * 1000);

	CHECK_EQ(pthread_mutex_trylock(m), EBUSY);
	CHECK_EQ(pthread_mutex_timedlock(m, &soon), ETIMEDOUT);
	if (kinds[kind][0] == PTHREAD_MUTEX_ERRORCHECK || kinds[kind][0] == PTHREAD_MUTEX_RECURSIVE)
		CHECK_EQ(pthread_mutex_unlock(m), EPERM);
	atomic_fetch_add(&o->waiting, 1);
	CHECK_OK((intptr_t)arg % 2 ? pthread_mutex_lock(m) : pthread_mutex_timedlock(m, &later));
	CHECK_EQ(o->held, 0);
	CHECK_OK(pthread_mutex_unlock(m));
	return arg;
}

static void waits_for_other_side(int turn)
{
	pthread_t t[THREADS];

	meet(&s->met, turn);
	spawn_many(t, THREADS, finds_it_held);
	join_many(t, THREADS);
}

static void *holds(void *turn)
{
	CHECK_OK(pthread_mutex_lock(m));
	o->held = 1;
	meet(&s->met, (int)(intptr_t)turn);
	WAIT_FOR(atomic_load(&o->waiting) == THREADS);
	settle();
	o->held = 0;
	atomic_store(&o->waiting, 0);
	CHECK_OK(pthread_mutex_unlock(m));
	return NULL;
}

static void act(void *memory, int side)
{
	pthread_t t[THREADS];
	int turn = 0;

	s = memory;
	for (kind = 0; kind < KINDS; kind++) {
		o = &s->of[kind];
		m = &o->m;
		for (int holder = 0; holder < 2; holder++) {
			turn++;
			if (side == holder)
				join(spawn(holds, (void *)(intptr_t)turn));
			else
				waits_for_other_side(turn);
		}
		spawn_many(t, THREADS, counts);
		join_many(t, THREADS);
		meet(&s->met, ++turn);
		CHECK_EQ(o->count, 2 * THREADS * ROUNDS);
	}
}

int main(int argc, char **argv)
{
	static const struct play play = { sizeof(struct shared), prepare, act };

	return play_with_partners(argc, argv, &play);
}
