// SPDX-License-Identifier: BSD-2-Clause
/*
 * Conditions.  Private ones are a struct cond in the first bytes of pthread_cond_t; process-shared
 * ones are libc's (but for those of home.h), told apart by the bit in which libc keeps this, whose
 * place depends on its version and is found by asking it to make one.  All zero is a private one on
 * CLOCK_REALTIME, as the static initialiser says; our fields stay clear of every place that bit may have.
 *
 * libc's conditions know nothing of mutexes that are ours.  Who waits for one with such a mutex does it with one of
 * libc's, `between`, which is held while the other is given up; and who signals takes `between` first, so as not to
 * come in between, but does not hold it: in a condition that another process has spoiled libc may hang.  No other
 * process can signal with our mutex held, as it is this process's.
 *
 * Rejected: to leave the mutex to libc from then on (whoever has looked at its kind already, or waits for it in the
 * parking lot, would have to look again).
 */
#include "cond.h"

#include <errno.h>
#include <string.h>

#include "../sync/cond.h"
#include "alias.h"
#include "home.h"
#include "mutex.h"
#include "posix.h"
#include "real.h"
#include "shared.h"

enum { LIBC_SHARED = 1, LIBC_MONOTONIC = 2, FIRST_FLAGS = 24 };

struct posix_cond {
	struct cond cond;
	struct home home;	/* libc counts references there */
};
_Static_assert(sizeof(struct posix_cond) <= FIRST_FLAGS, "clear of libc's flags");
_Static_assert(sizeof(struct cond) <= sizeof(pthread_cond_t), "fits");

static struct au32 flags_offset;	/* 0: not looked up yet */

/* Makes a process-shared condition on the monotonic clock and sees which word tells. */
static __attribute__((noinline)) uint32_t find_flags_offset(void)
{
	pthread_condattr_t attr;
	uint32_t words[sizeof(pthread_cond_t) / 4] = { 0 }, i;
	pthread_cond_t c;

	REAL(pthread_condattr_init)(&attr);
	REAL(pthread_condattr_setpshared)(&attr, PTHREAD_PROCESS_SHARED);
	REAL(pthread_condattr_setclock)(&attr, CLOCK_MONOTONIC);
	REAL(pthread_cond_init)(&c, &attr);
	memcpy(words, &c, sizeof(c));
	for (i = FIRST_FLAGS / 4; i < sizeof(words) / 4; i++)
		if ((words[i] & 3) == (LIBC_SHARED | LIBC_MONOTONIC))
			break;
	if (i == sizeof(words) / 4)
		i = 36 / 4;
	store_relaxed(&flags_offset, i * 4);	/* everybody finds the same */
	return i * 4;
}

static inline uint32_t flags_of(pthread_cond_t *c)
{
	uint32_t offset = load_relaxed(&flags_offset);	/* set once */

	if (unlikely(!offset))
		offset = find_flags_offset();
	return __atomic_load_n((uint32_t *)((char *)c + offset), __ATOMIC_RELAXED);
}

/* Libc must find a copy of one that has never been used as if it had made it. */
static COLD bool is_no_copy(struct home *h)
{
	uint64_t seen = load_relaxed(&h->word);		/* nobody uses it before it is put there */

	if (seen >> HOME_SHIFT == HOME_PRIVATE >> HOME_SHIFT)
		cas_seq_cst(&h->word, &seen, 0);
	return true;
}

static inline bool is_shared(pthread_cond_t *c)
{
	struct home *home = &((struct posix_cond *)c)->home;

	return unlikely(flags_of(c) & LIBC_SHARED) && !home_is_private(home) && is_no_copy(home);
}

static inline struct cond *cond_of(pthread_cond_t *c)
{
	return (struct cond *)c;
}

EXPORT int pthread_cond_init(pthread_cond_t *restrict c, const pthread_condattr_t *restrict attr)
{
	int err = REAL(pthread_cond_init)(c, attr);
	uint32_t flags;

	if (err)
		return err;
	flags = flags_of(c);
	if (flags & LIBC_SHARED) {
		home_set(&((struct posix_cond *)c)->home);
		return 0;
	}
	memset(c, 0, sizeof(*c));
	cond_of(c)->clock = flags & LIBC_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	return 0;
}

int posix_cond_destroy(pthread_cond_t *c)
{
	if (is_shared(c))
		return REAL(pthread_cond_destroy)(c);
	cond_destroy(cond_of(c));
	return 0;
}

static pthread_mutex_t between = { { .__kind = KIND_SHARED } };		/* of libc's: see lock_foreign */
static struct au32 between_is_used;	/* set for good before the mutex of the first wait is given up */

void cond_fork_child(void)
{
	between = (pthread_mutex_t){ { .__kind = KIND_SHARED } };
}

static COLD int wake_shared(pthread_cond_t *c, int (*wake)(pthread_cond_t *c))
{
	if (unlikely(load_seq_cst(&between_is_used))) {
		posix_mutex_lock(&between);	/* whoever had it has got into libc's queue */
		posix_mutex_unlock(&between);
	}
	return wake(c);
}

int posix_cond_signal(pthread_cond_t *c)
{
	if (unlikely(is_shared(c)))
		return wake_shared(c, REAL(pthread_cond_signal));
	if (cond_has_waiters(cond_of(c)))
		cond_wake(cond_of(c), 1);
	return 0;
}

int posix_cond_broadcast(pthread_cond_t *c)
{
	if (unlikely(is_shared(c)))
		return wake_shared(c, REAL(pthread_cond_broadcast));
	if (cond_has_waiters(cond_of(c)))
		cond_wake(cond_of(c), INT32_MAX);
	return 0;
}

static clockid_t clock_of(pthread_cond_t *c)
{
	uint32_t flags = flags_of(c);

	if (unlikely(flags & LIBC_SHARED))
		return flags & LIBC_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	return cond_of(c)->clock;
}

static int release(struct thread *me, void *mutex)
{
	return posix_mutex_release(me, mutex);
}

static void release_wake(void *lock)
{
	mutex_wake(lock);
}

struct wait {
	struct cond_progress progress;
	pthread_cond_t *cond;
	pthread_mutex_t *mutex;
};

/* Out of a signal handler, by a cancellation or pthread_exit: what the program has for that finds the mutex held. */
static COLD void forsake(struct wait *w)
{
	cond_forsake(cond_of(w->cond), &w->progress);
	posix_mutex_lock_again(w->mutex, w->progress.why == WAIT_MOVED);
}

static inline void end_wait(struct wait *w)
{
	if (unlikely(w->progress.why != WAIT_AGAIN))
		forsake(w);
}

FLAT ARCH_SWITCHES int posix_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	const struct cond_mutex cm = { release, release_wake, m, posix_mutex_lock_of(m), posix_mutex_word(m),
				       WAIT_COND, NULL };
	const struct deadline limit = { .at = until, .clock = clock };
	__attribute__((cleanup(end_wait))) struct wait w = { { .why = WAIT_AGAIN }, c, m };
	enum wait_result why;
	int err;

	posix_mutex_prepare(m);
	thread_self();			/* pthread_cancel finds us from here on: cancel.c */
	posix_testcancel();
	err = -cond_wait(cond_of(c), &cm, deadline_ns(limit), &w.progress);
	if (err)
		return err;
	why = w.progress.why;
	w.progress.why = WAIT_AGAIN;
	err = posix_mutex_lock_again(m, why == WAIT_MOVED);
	if (why == WAIT_CANCEL)
		pthread_testcancel();
	if (err)
		return err;
	/* A clock that was set back makes this a spurious wake-up. */
	return why == WAIT_TIMEOUT && deadline_was_reached(limit) ? ETIMEDOUT : 0;
}

/* What the three kinds of wait have: no limit; one on the condition's own clock; one on another. */
struct limit {
	bool has_clock;
	clockid_t clock;
	const struct timespec *until;
};

static int wait_shared(pthread_cond_t *c, pthread_mutex_t *m, struct limit l)
{
	if (!l.until)
		return SHARED_WAIT(REAL(pthread_cond_wait)(c, m));
	if (!l.has_clock)
		return SHARED_WAIT(REAL(pthread_cond_timedwait)(c, m, l.until));
	return SHARED_WAIT(REAL(pthread_cond_clockwait)(c, m, l.clock, l.until));
}

struct given_up {
	pthread_mutex_t *mutex;		/* NULL: taken back */
	int err;
};

/* `between` is held now, as libc's waits end with their mutex held, cancelled ones too. */
static void take_back(struct given_up *g)
{
	if (!g->mutex)
		return;
	posix_mutex_unlock(&between);
	g->err = posix_mutex_lock_again(g->mutex, false);
	g->mutex = NULL;
}

/* The cleanup is for a cancellation. */
static COLD int wait_between(pthread_cond_t *c, pthread_mutex_t *m, struct limit l)
{
	__attribute__((cleanup(take_back))) struct given_up g = { NULL, 0 };
	int err;

	posix_testcancel();
	store_seq_cst(&between_is_used, 1);
	err = posix_mutex_lock(&between);
	if (err)
		return err;
	g.err = posix_mutex_give_up(m);
	if (g.err) {
		posix_mutex_unlock(&between);
		return g.err;
	}
	g.mutex = m;
	err = wait_shared(c, &between, l);
	take_back(&g);
	return err ? err : g.err;
}

static COLD int wait_foreign(pthread_cond_t *c, pthread_mutex_t *m, struct limit l)
{
	thread_self();
	return posix_mutex_is_foreign(m) ? NAMED(m, wait_shared(c, m, l)) : wait_between(c, m, l);
}

EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
	return posix_cond_destroy(c);
}

EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	return posix_cond_signal(c);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	return posix_cond_broadcast(c);
}

EXPORT int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
{
	if (unlikely(is_shared(c)))
		return wait_foreign(c, m, (struct limit){ .until = NULL });
	return posix_cond_wait(c, m, CLOCK_REALTIME, NULL);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				  const struct timespec *restrict until)
{
	if (!deadline_is_valid(until))
		return EINVAL;
	if (unlikely(is_shared(c)))
		return wait_foreign(c, m, (struct limit){ .until = until });
	return posix_cond_wait(c, m, clock_of(c), until);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				  clockid_t clock, const struct timespec *restrict until)
{
	if (!deadline_is_valid(until) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
		return EINVAL;
	if (unlikely(is_shared(c)))
		return wait_foreign(c, m, (struct limit){ true, clock, until });
	return posix_cond_wait(c, m, clock, until);
}

ALIAS(__pthread_cond_init, pthread_cond_init);
ALIAS(__pthread_cond_destroy, pthread_cond_destroy);
ALIAS(__pthread_cond_signal, pthread_cond_signal);
ALIAS(__pthread_cond_broadcast, pthread_cond_broadcast);
ALIAS(__pthread_cond_wait, pthread_cond_wait);
ALIAS(__pthread_cond_timedwait, pthread_cond_timedwait);
