// SPDX-License-Identifier: BSD-2-Clause
/*
 * pthread_mutex_t as glibc lays it out, of which private mutexes of every type keep each field
 * valid: glibc's own init, destroy and attribute functions stay in use, and a mutex that glibc
 * locked may be unlocked here.
 */
#ifndef UPCALL_POSIX_MUTEX_H
#define UPCALL_POSIX_MUTEX_H

#include <pthread.h>

#include "../sync/mutex.h"
#include "home.h"

/* Bits of __kind; 256 and 512 speak of lock elision, which nobody does here. */
enum {
	KIND_TYPE = 3, KIND_ROBUST = 16, KIND_PI = 32, KIND_PP = 64, KIND_SHARED = 128,
	KIND_FOREIGN = KIND_ROBUST | KIND_SHARED,	/* left to libc, unless its home is private */
	KIND_ALL = KIND_TYPE | KIND_FOREIGN | KIND_PI | KIND_PP,
};

/* Where libc keeps a ceiling in the word. */
enum { CEILING_SHIFT = 19 };

struct mutex {
	struct au32 word;
	uint32_t count;		/* depth; guarded by the mutex itself, as the next three */
	int owner;		/* tid; anybody reads it, but equals his own only for the owner */
	uint32_t users;
	int kind;
	struct au32 ceiling_word;	/* the lock where libc keeps a ceiling in `word` */
	struct home home;	/* of a shared one that is not robust: libc links only those */
	struct owner lends_to;	/* of an inheriting one where the policy minds priorities */
};
_Static_assert(sizeof(struct mutex) <= sizeof(pthread_mutex_t), "fits");

struct naming {
	void *tls;		/* NULL: nothing is to be undone */
	int was;
};

/* The cleanup is for a cancellation. */
#define NAMED(mutex, call) \
	({ \
		__attribute__((cleanup(posix_mutex_naming_end), unused)) struct naming naming_ = \
			posix_mutex_naming_begin(mutex); \
		(call); \
	})

static inline struct mutex *mutex_of(pthread_mutex_t *m)
{
	return (struct mutex *)m;
}

#pragma GCC visibility push(hidden)
/* What pthread_mutex_lock does, for callers inside the library; outside the runtime. */
int posix_mutex_lock(pthread_mutex_t *m);
int posix_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until);
int posix_mutex_trylock(pthread_mutex_t *m);
int posix_mutex_unlock(pthread_mutex_t *m);
/*
 * Inside the runtime, holding a bucket's lock: gives the mutex up, for a wait on a condition, during
 * which it counts as used and is not to be destroyed.
 * -errno; 0; 1 when mutex_wake of posix_mutex_lock_of must follow, holding none; the mutex may be gone.
 */
int posix_mutex_release(struct thread *me, pthread_mutex_t *m);
struct au32 *posix_mutex_lock_of(pthread_mutex_t *m);
/* What there is to be taken of it, if that is all: for waiters that a broadcast moves to the mutex; or NULL. */
struct au32 *posix_mutex_word(pthread_mutex_t *m);
/* For a wait on a condition of libc's: gives up one that is not libc's.  Outside the runtime.  0 or EPERM. */
int posix_mutex_give_up(pthread_mutex_t *m);
/* After that wait; is_moved: it ended there. */
int posix_mutex_lock_again(pthread_mutex_t *m, bool is_moved);
/*
 * Around a call of libc's on a mutex of libc's.  Where the kernel must know its owner, libc knows us by our kernel
 * thread meanwhile; before and after by the number that other locks of libc's have, and those of its own.
 */
struct naming posix_mutex_naming_begin(const pthread_mutex_t *m);
void posix_mutex_naming_end(struct naming *n);
/* Is it libc's, so that libc's conditions may be waited for with it? */
bool posix_mutex_is_foreign(pthread_mutex_t *m);
/* Outside the runtime, before a release: looks up what it may need of libc. */
void posix_mutex_prepare(pthread_mutex_t *m);
#pragma GCC visibility pop

#endif
