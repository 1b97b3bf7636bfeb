// SPDX-License-Identifier: BSD-2-Clause
/*
 * Values of a thread's own, by key, of any thread: libc's have a key of its own whose destructor runs ours.
 *
 * The first few keys' values are in the descriptor; memory for the others comes with the first one
 * that is set, and stays with the descriptor.  A key that was deleted and made again has another
 * generation: values of the old one read as NULL.
 */
#include <pthread.h>
#include <string.h>

#include "../base/lock.h"
#include "../sys/sys.h"
#include "native.h"

enum { ROUNDS = 4, MORE_KEYS = UPCALL_KEYS_MAX - THREAD_KEYS };

/* generation: odd while the key is in use.  Both are written under the lock. */
static struct { struct au32 generation; void (*destructor)(void *); } keys[UPCALL_KEYS_MAX];
static struct lock keys_lock;
static struct au32 keys_seen;		/* no key is this large */
static pthread_key_t end_key;		/* libc's */
static bool has_end_key;

static uint32_t generation_of(upcall_key_t key)
{
	return key < UPCALL_KEYS_MAX ? load_acquire(&keys[key].generation) : 0;
}

/* Threads that wait for the lock may be preempted holding nothing; its holder may not. */
static struct thread *lock_keys(void)
{
	struct thread *me = rt_enter();

	lock_take(&keys_lock);
	return me;
}

static void unlock_keys(struct thread *me)
{
	lock_drop(&keys_lock);
	rt_leave(me);
}

void native_key_fork_child(void)
{
	lock_fork_child(&keys_lock);
}

static void end_of_libcs(void *me)
{
	native_run_destructors(me);
}

/* Before the first key: whatever kind of thread sets it, its end is to be known. */
static void expect_ends(void)
{
	sched_hooks.values_end = native_run_destructors;
	has_end_key = pthread_key_create(&end_key, end_of_libcs) == 0;
}

int upcall_key_create(upcall_key_t *ret_key, void (*destructor)(void *))
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int err = -EAGAIN;

	pthread_once(&once, expect_ends);
	struct thread *me = lock_keys();

	for (unsigned k = 0; k < UPCALL_KEYS_MAX && err; k++) {
		uint32_t generation = load_relaxed(&keys[k].generation);	/* guarded */

		if (generation & 1)
			continue;
		keys[k].destructor = destructor;
		store_release(&keys[k].generation, generation + 1);
		if (k >= load_relaxed(&keys_seen))
			store_relaxed(&keys_seen, k + 1);
		*ret_key = k;
		err = 0;
	}
	unlock_keys(me);
	return err;
}

int upcall_key_delete(upcall_key_t key)
{
	struct thread *me = lock_keys();
	uint32_t generation = generation_of(key);

	if (generation & 1)
		store_release(&keys[key].generation, generation + 1);
	unlock_keys(me);
	return generation & 1 ? 0 : -EINVAL;
}

static struct thread_value *value_of(struct thread *me, upcall_key_t key)
{
	if (key < THREAD_KEYS)
		return &me->value[key];
	return me->more_values ? &me->more_values[key - THREAD_KEYS] : NULL;
}

void *upcall_key_get(upcall_key_t key)
{
	uint32_t generation = generation_of(key);
	struct thread_value *v = generation & 1 ? value_of(thread_self(), key) : NULL;

	return v && v->generation == generation ? v->value : NULL;
}

int upcall_key_set(upcall_key_t key, const void *value)
{
	struct thread *me = thread_self();
	uint32_t generation = generation_of(key);

	if (!(generation & 1))
		return -EINVAL;
	if (key >= THREAD_KEYS && !me->more_values) {
		me->more_values = sys_map(MORE_KEYS * sizeof(struct thread_value));
		if (!me->more_values)
			return -ENOMEM;
	}
	if (me->kind == THREAD_BOUND && !me->is_one_to_one && me != thread_main() && has_end_key)
		pthread_setspecific(end_key, me);
	*value_of(me, key) = (struct thread_value){ (void *)value, generation };
	return 0;
}

static bool destroy(struct thread_value *v, upcall_key_t key)
{
	void (*destructor)(void *) = keys[key].destructor;
	void *value = v->value;
	bool is_live = value && (v->generation & 1) && v->generation == generation_of(key);

	*v = (struct thread_value){ 0 };
	if (!is_live || !destructor)
		return false;
	destructor(value);
	return true;
}

static bool may_have(struct thread *me, upcall_key_t key)
{
	return key < load_acquire(&keys_seen) && value_of(me, key);	/* a destructor may make one more */
}

static COLD void run_destructors(struct thread *me)
{
	bool any = true;

	for (int round = 0; any && round < ROUNDS; round++) {
		any = false;
		for (upcall_key_t key = 0; may_have(me, key); key++)
			any |= destroy(value_of(me, key), key);
	}
	for (upcall_key_t key = 0; any && may_have(me, key); key++)
		*value_of(me, key) = (struct thread_value){ 0 };
}

void native_run_destructors(struct thread *me)
{
	if (load_acquire(&keys_seen))
		run_destructors(me);
}
