// SPDX-License-Identifier: BSD-2-Clause
#include "mutex.h"

static int lock_word(struct native_mutex *m, uint64_t deadline_ns)
{
	uint32_t held = native_mutex_held(thread_self());
	int err = mutex_try(&m->word, held) ? 0 : -mutex_lock_slow(&m->word, held, NULL, UNTIL(deadline_ns));

	if (likely(!err))
		told_acquire(m);
	return err;
}

static int try_word(struct native_mutex *m)
{
	if (!mutex_try(&m->word, native_mutex_held(thread_self())))
		return -EBUSY;
	told_acquire(m);
	return 0;
}

void native_mutex_own(struct native_mutex *m)
{
	if (unlikely(sched_has_priorities))
		mutex_name_owner(&m->word, &m->owner);
	else
		store_relaxed(&m->owner, thread_self());
}

int native_mutex_wait(struct native_mutex *m, uint64_t deadline_ns)
{
	if (likely(!sched_has_priorities))
		return lock_word(m, deadline_ns);
	uint32_t held = native_mutex_held(thread_self());
	int err = mutex_try(&m->word, held) ? 0 : -mutex_lock_lending(&m->word, held, &m->owner, UNTIL(deadline_ns));

	if (!err)
		told_acquire(m);
	return err;
}

/* Those that know their owner.  try: does not wait. */
static __attribute__((noinline)) int lock_owned(struct native_mutex *m, uint64_t deadline_ns, bool try)
{
	/* relaxed: it is us only if we wrote it */
	if (m->kind != UPCALL_MUTEX_NORMAL && load_relaxed(&m->owner) == thread_self()) {
		if (m->kind != UPCALL_MUTEX_RECURSIVE)
			return try ? -EBUSY : -EDEADLK;
		if (m->depth == UINT32_MAX)
			return -EAGAIN;
		m->depth++;
		return 0;
	}
	int err = try ? try_word(m) : native_mutex_wait(m, deadline_ns);

	if (!err)
		native_mutex_own(m);
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

static __attribute__((noinline)) int lock_unusual(struct native_mutex *m)
{
	struct thread *me = self_ptr;

	if (me && native_is_to_yield(me))
		rt_leave(rt_enter());
	return native_mutex_is_owned(m) ? lock_owned(m, UPCALL_NEVER, false) : lock_word(m, UPCALL_NEVER);
}

int upcall_mutex_lock(struct upcall_mutex *mutex)
{
	struct native_mutex *m = native_mutex(mutex);
	struct thread *me = self_ptr;

	return likely(me && native_mutex_take(m, me)) ? 0 : lock_unusual(m);
}

int upcall_mutex_lock_until(struct upcall_mutex *mutex, uint64_t deadline_ns)
{
	struct native_mutex *m = native_mutex(mutex);

	return native_mutex_is_owned(m) ? lock_owned(m, deadline_ns, false) : lock_word(m, deadline_ns);
}

int upcall_mutex_trylock(struct upcall_mutex *mutex)
{
	struct native_mutex *m = native_mutex(mutex);

	if (native_mutex_is_owned(m))
		return lock_owned(m, 0, true);
	return try_word(m);
}

static __attribute__((noinline)) int unlock_owned(struct native_mutex *m)
{
	struct thread *owner = load_relaxed(&m->owner);		/* relaxed: as in lock_owned */

	if (m->kind != UPCALL_MUTEX_NORMAL && owner != thread_self())
		return -EPERM;
	if (m->depth) {
		m->depth--;
		return 0;
	}
	store_relaxed(&m->owner, NULL);		/* relaxed: the drop is a release; pairs: inherit.owner */
	told_release(m);
	if (likely(!sched_has_priorities))
		mutex_drop(&m->word);
	else if (xchg_seq_cst(&m->word, MUTEX_FREE) & MUTEX_WAITED)
		mutex_unlock_lending(&m->word, owner);
	return 0;
}

static __attribute__((noinline)) int unlock_unusual(struct native_mutex *m)
{
	if (native_mutex_is_owned(m))
		return unlock_owned(m);
	told_release(m);
	mutex_drop(&m->word);
	return 0;
}

int upcall_mutex_unlock(struct upcall_mutex *mutex)
{
	struct native_mutex *m = native_mutex(mutex);
	struct thread *me = self_ptr;

	if (unlikely(!me || !native_mutex_is_plain(m, me)))
		return unlock_unusual(m);
	mutex_drop(&m->word);
	return 0;
}

int upcall_mutex_lock_(struct upcall_mutex *mutex) __attribute__((alias("upcall_mutex_lock")));
int upcall_mutex_unlock_(struct upcall_mutex *mutex) __attribute__((alias("upcall_mutex_unlock")));

void upcall_mutex_wake_(struct upcall_mutex *mutex)
{
	mutex_unlock_slow(&native_mutex(mutex)->word);
}
