// SPDX-License-Identifier: BSD-2-Clause
#include "../sync/sem.h"

#include <limits.h>

#include "bound.h"

ASSERT_FITS(struct sem, struct upcall_sem);

static inline struct sem *native_sem(struct upcall_sem *s)
{
	return (struct sem *)s;
}

int upcall_sem_init(struct upcall_sem *sem, unsigned value)
{
	if (value > INT_MAX)
		return -EINVAL;
	*sem = (struct upcall_sem){ 0 };
	store_relaxed(&native_sem(sem)->word, value);	/* relaxed: nobody else knows it yet */
	return 0;
}

int upcall_sem_post(struct upcall_sem *sem)
{
	told_release(sem);
	return sem_raise(native_sem(sem)) ? 0 : -EOVERFLOW;
}

static inline bool passed(struct sem *s)
{
	told_acquire(s);
	return true;
}

static inline bool try(struct sem *s)
{
	return sem_try(s) && passed(s);
}

int upcall_sem_trywait(struct upcall_sem *sem)
{
	return try(native_sem(sem)) ? 0 : -EAGAIN;
}

static FLAT ARCH_SWITCHES int wait_until(struct sem *s, uint64_t deadline_ns)
{
	unsigned losses = 0;

	do {
		enum wait_result why = sem_wait_once(s, deadline_ns, losses);

		if (likely(why == WAIT_WOKEN) && passed(s))
			return 0;
		int err = error_of(why);

		if (err)
			return err == -ETIMEDOUT && try(s) ? 0 : err;
		losses += why == WAIT_AGAIN;
	} while (!try(s));
	return 0;
}

int upcall_sem_wait_until(struct upcall_sem *sem, uint64_t deadline_ns)
{
	return try(native_sem(sem)) ? 0 : wait_until(native_sem(sem), deadline_ns);
}

int upcall_sem_wait(struct upcall_sem *sem)
{
	return upcall_sem_wait_until(sem, UPCALL_NEVER);
}

unsigned upcall_sem_value(const struct upcall_sem *sem)
{
	return (unsigned)(uint32_t)load_relaxed(&((const struct sem *)sem)->word);	/* a look */
}
