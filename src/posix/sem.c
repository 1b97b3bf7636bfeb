// SPDX-License-Identifier: BSD-2-Clause
/*
 * Semaphores.  sem_t keeps glibc's layout, so libc's getvalue and destroy stay in use; named and
 * process-shared ones are libc's altogether (shared.c), but for those of home.h.
 */
#include "../sync/sem.h"

#include <errno.h>
#include <semaphore.h>

#include "block.h"
#include "home.h"
#include "posix.h"
#include "real.h"
#include "shared.h"

/* sem_t's words after libc's own are free: who took it last, and whose it is. */
struct libc_sem {
	struct sem sem;
	struct home home;
};

_Static_assert(sizeof(struct libc_sem) <= sizeof(sem_t), "layout");

static inline bool is_shared(const sem_t *s)
{
	const struct libc_sem *sem = (const void *)s;

	return sem->sem.shared && !home_is_private(&sem->home);
}

static inline struct sem *sem_of(sem_t *s)
{
	return (struct sem *)s;
}

static int fail(int err)
{
	errno = err;
	return -1;
}

/*
 * Does a handler that ran end this wait?  As in the kernel, one with SA_RESTART ends only a wait
 * with a limit; those without it are counted in the high half.
 */
static bool ends_wait(uint64_t before, struct deadline until)
{
	uint64_t now = handlers_run(thread_self());

	return until.at ? now != before : now >> 32 != before >> 32;
}

static FLAT ARCH_SWITCHES int wait_slow(struct sem *s, struct deadline until)
{
	uint64_t handlers = handlers_run(thread_self());
	unsigned losses = 0;

	posix_testcancel();		/* now that pthread_cancel finds us: cancel.c */
	while (!sem_try(s)) {
		switch (sem_wait_once(s, deadline_ns(until), losses)) {
		case WAIT_WOKEN:
			return 0;
		case WAIT_TIMEOUT:
			if (deadline_was_reached(until))
				return sem_try(s) ? 0 : fail(ETIMEDOUT);
			break;
		case WAIT_SIGNAL:
			if (ends_wait(handlers, until))
				return fail(EINTR);
			break;
		case WAIT_CANCEL:
			pthread_testcancel();
			break;
		default:
			losses++;
			break;
		}
	}
	return 0;
}

/* libc's wait; our own signals, which may end it where it holds a kernel thread, do not show. */
#define WAIT_SHARED(call) \
	({ \
		struct thread *me_ = thread_self(); \
		uint64_t before_ = handlers_run(me_); \
		int got_; \
		do { \
			me_->call_end = END_UNKNOWN; \
			got_ = SHARED_WAIT(call); \
		} while (got_ && errno == EINTR && was_vain(me_, before_)); \
		got_; \
	})

EXPORT int sem_init(sem_t *s, int shared, unsigned value)
{
	int err = REAL(sem_init)(s, shared, value);

	if (!err && shared)
		home_set(&((struct libc_sem *)s)->home);
	return err;
}

EXPORT int sem_wait(sem_t *s)
{
	posix_testcancel();
	if (unlikely(is_shared(s)))
		return sem_try(sem_of(s)) ? 0 : WAIT_SHARED(REAL(sem_wait)(s));
	return likely(sem_try(sem_of(s))) ? 0 : wait_slow(sem_of(s), (struct deadline){ 0 });
}

EXPORT int sem_trywait(sem_t *s)
{
	if (unlikely(is_shared(s)))
		return REAL(sem_trywait)(s);
	return sem_try(sem_of(s)) ? 0 : fail(EAGAIN);
}

static int wait_until(sem_t *s, struct deadline until)
{
	if (!deadline_is_valid(until.at) ||
	    (until.clock != CLOCK_REALTIME && until.clock != CLOCK_MONOTONIC))
		return fail(EINVAL);
	posix_testcancel();
	return sem_try(sem_of(s)) ? 0 : wait_slow(sem_of(s), until);
}

EXPORT int sem_timedwait(sem_t *restrict s, const struct timespec *restrict until)
{
	if (unlikely(is_shared(s)))
		return WAIT_SHARED(REAL(sem_timedwait)(s, until));
	return wait_until(s, (struct deadline){ .at = until, .clock = CLOCK_REALTIME });
}

EXPORT int sem_clockwait(sem_t *restrict s, clockid_t clock, const struct timespec *restrict until)
{
	if (unlikely(is_shared(s)))
		return WAIT_SHARED(REAL(sem_clockwait)(s, clock, until));
	return wait_until(s, (struct deadline){ .at = until, .clock = clock });
}

EXPORT int sem_post(sem_t *s)
{
	if (unlikely(is_shared(s)))
		return REAL(sem_post)(s);
	return sem_raise(sem_of(s)) ? 0 : fail(EOVERFLOW);
}
