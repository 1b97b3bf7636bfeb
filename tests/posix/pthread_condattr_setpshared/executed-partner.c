// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_condattr_setpshared: a process-shared condition may be operated upon by any thread that has access to
// its memory.  Threads of a program wait, with and without a limit, and those of one that it executed, which maps the
// condition at another address and may have nothing preloaded, signal each, then all; and the other way round.
#include "../pshared/pshared.h"
#include "../pshared/partner.h"

enum { THREADS = 6, TURNS = 12 };

static struct shared {
	struct objects o;
	int waiting, tickets, woken, turn;	/* guarded by the mutex */
	atomic_int met;
} *s;

static int own_side;

static void prepare(void *memory)
{
	s = memory;
	init_objects(&s->o, 1);
}

static void wait_once(bool has_limit)
{
	struct timespec limit = in_ms(CLOCK_MONOTONIC, WATCHDOG_SECONDS * 1000);

	CHECK_OK(has_limit ? pthread_cond_timedwait(&s->o.cond, &s->o.mutex, &limit) :
		 pthread_cond_wait(&s->o.cond, &s->o.mutex));
}

static void *takes_a_ticket(void *arg)
{
	struct timespec soon = in_ms(CLOCK_MONOTONIC, 5);

	CHECK_OK(pthread_mutex_lock(&s->o.mutex));
	CHECK_EQ(pthread_cond_timedwait(&s->o.done, &s->o.mutex, &soon), ETIMEDOUT);
	s->waiting++;
	while (s->tickets == 0)
		wait_once((intptr_t)arg % 2);
	s->tickets--;
	s->woken++;
	CHECK_OK(pthread_mutex_unlock(&s->o.mutex));
	return NULL;
}

static bool all_are(const int *n)
{
	CHECK_OK(pthread_mutex_lock(&s->o.mutex));
	bool are = *n == THREADS;

	CHECK_OK(pthread_mutex_unlock(&s->o.mutex));
	return are;
}

/* Tickets one by one, with a signal each, or all at once. */
static void *gives_tickets(void *all)
{
	int at_once = all ? THREADS : 1;

	WAIT_FOR(all_are(&s->waiting));
	for (int given = 0; given < THREADS; given += at_once) {
		CHECK_OK(pthread_mutex_lock(&s->o.mutex));
		s->tickets += at_once;
		if (all)
			CHECK_OK(pthread_cond_broadcast(&s->o.cond));
		CHECK_OK(pthread_mutex_unlock(&s->o.mutex));
		if (!all)
			CHECK_OK(pthread_cond_signal(&s->o.cond));
	}
	WAIT_FOR(all_are(&s->woken));
	s->waiting = s->woken = 0;
	return NULL;
}

static void *by_turns(void *arg)
{
	int own = 2 * (int)(intptr_t)arg + own_side;

	for (int i = 0; i < TURNS; i++) {
		CHECK_OK(pthread_mutex_lock(&s->o.mutex));
		while (s->turn != own)
			wait_once(i % 2);
		s->turn = (own + 1) % 4;
		CHECK_OK(pthread_cond_broadcast(&s->o.cond));
		CHECK_OK(pthread_mutex_unlock(&s->o.mutex));
	}
	return NULL;
}

static void act(void *memory, int side)
{
	pthread_t t[THREADS];

	s = memory;
	own_side = side;
	for (int i = 0; i < 4; i++) {
		if (i % 2 == side) {
			spawn_many(t, THREADS, takes_a_ticket);
			join_many(t, THREADS);
		} else {
			join(spawn(gives_tickets, i < 2 ? NULL : s));
		}
		meet(&s->met, i + 1);
	}
	spawn_many(t, 2, by_turns);
	join_many(t, 2);
}

int main(int argc, char **argv)
{
	static const struct play play = { sizeof(struct shared), prepare, act };

	return play_with_partners(argc, argv, &play);
}
