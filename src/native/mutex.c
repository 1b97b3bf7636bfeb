// SPDX-License-Identifier: BSD-2-Clause
#include "mutex.h"

static int lock_word(struct native_mutex *m, uint64_t deadline_ns)
{
	int err = likely(mutex_try(&m->word)) ? 0 : -mutex_lock_slow(&m->word, UNTIL(deadline_ns));

	if (likely(!err))
		native_mutex_hold(m);
	return err;
}

static int try_word(struct native_mutex *m)
{
	if (!mutex_try(&m->word))
		return -EBUSY;
	native_mutex_hold(m);
	return 0;
}

/* The kinds that know their owner.  try: does not wait. */
static __attribute__((noinline)) int lock_owned(struct native_mutex *m, uint64_t deadline_ns, bool try)
{
	struct thread *me = thread_self();

	/* relaxed: it is us only if we wrote it */
	if (load_relaxed(&m->owner) == me) {
		if (m->kind != UPCALL_MUTEX_RECURSIVE)
			return try ? -EBUSY : -EDEADLK;
		if (m->depth == UINT32_MAX)
			return -EAGAIN;
		m->depth++;
		return 0;
	}
	int err = try ? try_word(m) : lock_word(m, deadline_ns);

	if (!err)
		store_relaxed(&m->owner, me);
	return err;
}

int upcall_mutex_init(struct upcall_mutex *mutex, enum upcall_mutex_kind kind)
{
	if (kind > UPCALL_MUTEX_ERRORCHECK)
		return -EINVAL;
	*mutex = (struct upcall_mutex){ 0 };
	native_mutex(mutex)->kind = kind;
	return 0;
}

int upcall_mutex_lock(struct upcall_mutex *mutex)
{
	struct native_mutex *m = native_mutex(mutex);

	return likely(m->kind == UPCALL_MUTEX_NORMAL) ? lock_word(m, UPCALL_NEVER) :
							lock_owned(m, UPCALL_NEVER, false);
}

int upcall_mutex_lock_until(struct upcall_mutex *mutex, uint64_t deadline_ns)
{
	struct native_mutex *m = native_mutex(mutex);

	return m->kind == UPCALL_MUTEX_NORMAL ? lock_word(m, deadline_ns) : lock_owned(m, deadline_ns, false);
}

int upcall_mutex_trylock(struct upcall_mutex *mutex)
{
	struct native_mutex *m = native_mutex(mutex);

	if (m->kind != UPCALL_MUTEX_NORMAL)
		return lock_owned(m, 0, true);
	return try_word(m);
}

static __attribute__((noinline)) int unlock_owned(struct native_mutex *m)
{
	if (load_relaxed(&m->owner) != thread_self())	/* relaxed: as in lock_owned */
		return -EPERM;
	if (m->depth) {
		m->depth--;
		return 0;
	}
	store_relaxed(&m->owner, NULL);
	native_mutex_release(m);
	mutex_drop(&m->word);
	return 0;
}

int upcall_mutex_unlock(struct upcall_mutex *mutex)
{
	struct native_mutex *m = native_mutex(mutex);

	if (unlikely(m->kind != UPCALL_MUTEX_NORMAL))
		return unlock_owned(m);
	native_mutex_release(m);
	mutex_drop(&m->word);
	return 0;
}
