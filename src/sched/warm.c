// SPDX-License-Identifier: BSD-2-Clause
/*
 * Descriptors of threads that have ended, with their stacks and blocks: a vproc keeps some at hand, of the two
 * kinds that programs make most, so that the next thread is made without a lock and of what is still in the
 * cache.  What is too much goes to its class (thread/stack.h), and what lacks comes from there, many at a time.
 */
#include <string.h>

#include "../thread/stack.h"
#include "vproc.h"

/* A process that is confined is not to make system calls that libc's threads need not. */
static void trim(struct thread *first)
{
	if (!load_relaxed(&sched_is_confined))
		stack_trim(first);
}

/* Those that ended last stay: they are next. */
static COLD void set_aside(struct warm *w)
{
	struct thread *first = w->first;

	w->first = NULL;
	w->n = 0;
	compiler_barrier();		/* a child may be forked now: it does without these */
	trim(first);
	if (w->aside)
		stack_put_chain(w->aside);
	w->aside = first;
}

/* Changes with the list, at no cost to who changes it: the same one is first again only after a birth. */
static uint64_t look_of_list(struct vproc *vp)
{
	return load_relaxed(&threads.births) + (uintptr_t)vp->full.first;
}

static void trim_first(struct warm *w)
{
	struct thread *first = w->first;

	if (!stack_is_worth_trimming(first))
		return;
	w->first = NULL;
	w->n = 0;
	compiler_barrier();
	stack_trim(first);
	stack_put_chain(first);		/* vp may be another's by now */
}

/* What is set aside has been trimmed. */
bool warm_trim(struct vproc *vp)
{
	uint64_t tsc = arch_ticks();
	bool is_new = vp->full.first && look_of_list(vp) != vp->trim_seen;

	if ((!is_new && !vp->has_singles) || load_relaxed(&sched_is_confined))
		return true;
	if (ns_of_ticks(tsc - vp->trim_tsc) < WARM_TRIM_NS)
		return false;
	vp->trim_tsc = tsc;
	trim_first(&vp->full);
	vp->has_singles = false;
	stack_trim_all_single();
	vp->trim_seen = look_of_list(vp);
	return true;
}

void sched_trim(void)
{
	struct thread *me = rt_enter();
	struct vproc *vp = vproc_of(me);

	if (vp) {
		vp->trim_tsc = 0;	/* nobody else comes back to it */
		warm_trim(vp);
	}
	rt_leave(me);
}

/* One that was made after t is joined after it more often than not. */
static inline void prefetch_joined_next(const struct thread *t)
{
	__builtin_prefetch(&t->free_next->start, 1);
}

static void put(struct warm *w, struct thread *t)
{
	if (unlikely(w->n == STACK_CHAIN))
		set_aside(w);
	if (t->free_next)
		prefetch_joined_next(t);
	t->free_next = w->first;
	compiler_barrier();		/* a child may be forked now */
	w->first = t;
	w->n++;
}

/* w->first is NULL. */
static COLD void refill(struct warm *w, struct stack_class *c)
{
	struct thread *chain = w->aside;

	w->aside = NULL;
	compiler_barrier();
	w->first = chain ? chain : stack_get_chain(c);
	w->n = w->first ? STACK_CHAIN : 0;
}

static struct thread *take(struct warm *w, struct stack_class *c)
{
	if (unlikely(!w->first))
		refill(w, c);
	struct thread *t = w->first;

	if (!t || t->stack_class != c)
		return NULL;
	w->first = t->free_next;
	w->n--;
	return t;
}

/*
 * t has ended, and may be joined late: the next thread that is made takes over its stack, which is still in the
 * cache, for its own.  Meanwhile that one is in no list, nor in a child that is forked now.
 */
void warm_pass_stack(struct vproc *vp, struct thread *t)
{
	struct thread *next = vp->bare.first;

	if (!next)
		return;
	vp->bare.first = next->free_next;
	compiler_barrier();
	void *stack = t->stack_start;

	t->stack_start = next->stack_start;
	next->stack_start = stack;
	compiler_barrier();
	vp->bare.first = next;
}

struct thread *warm_take_bare(struct vproc *vp)
{
	struct thread *t = vp->bare.first;

	if (unlikely(!t))
		return vp->bare_class ? take(&vp->bare, vp->bare_class) : NULL;
	vp->bare.first = t->free_next;
	vp->bare.n--;
	if (likely(vp->bare.first != NULL))
		thread_prefetch_short(vp->bare.first);
	return t;
}

static FLAT int create_unsettled(struct stack_class *c, struct thread *used, size_t stack_bytes, void *user_stack,
				 struct thread **ret_t)
{
	fetch_add(&sched_unsettled, 1);		/* pairs: mask.birth */
	int err = thread_create(c, used, stack_bytes, user_stack, ret_t);

	if (err) {
		fetch_sub(&sched_unsettled, 1);
		struct thread *me = rt_enter();

		sched_hooks.left(NULL);
		rt_leave(me);
	} else {
		(*ret_t)->is_unsettled = true;
	}
	return err;
}

int sched_create(size_t stack_bytes, size_t guard_bytes, void *user_stack, struct thread **ret_t)
{
	struct stack_class *c = thread_class(stack_bytes, guard_bytes, user_stack);
	struct thread *me = rt_enter();
	struct vproc *vp = vproc_of(me);
	struct thread *used = vp && c ? take(&vp->full, c) : NULL;

	rt_leave(me);
	int err = likely(!load_relaxed(&sched_counts_masks))	/* relaxed: else the caller blocks nothing */
		? thread_create(c, used, stack_bytes, user_stack, ret_t)
		: create_unsettled(c, used, stack_bytes, user_stack, ret_t);

	if (unlikely(sched_has_policy) && !err)		/* nobody else reads them: a line less to touch */
		memset((*ret_t)->slot, 0, sizeof((*ret_t)->slot));
	return err;
}

void sched_recycle(struct thread *t)
{
	struct vproc *vp = vproc_of(self_ptr);

	if (vp && t->is_standard) {
		/* Its state is DONE already: with thousands of threads, this saves a cache line of each. */
		store_relaxed(&t->life, LIFE_EXITED | LIFE_REAPED);
		if (unlikely(!vp->bare_class))
			vp->bare_class = t->stack_class;
		put(&vp->bare, t);
	} else if (vp && !t->is_bare && t->stack_class &&
		   (!vp->full.first || vp->full.first->stack_class == t->stack_class)) {
		thread_end(t);
		put(&vp->full, t);
	} else {
		struct stack_class *c = t->stack_class;

		thread_recycle(t);
		if (vp && c)
			vp->has_singles = true;
		if (c && !load_relaxed(&sched_is_confined))
			stack_trim_single(c);
	}
}

static void give_back(struct thread *first)
{
	struct thread *last = first;

	if (!first)
		return;
	while (last->free_next)
		last = last->free_next;
	stack_put_alone(first, last);
}

/* Their vproc may have been amid a change: the lists themselves are always whole. */
static void give_all_back(struct warm *w)
{
	if (!w->first && !w->aside)
		return;
	give_back(w->first);
	give_back(w->aside);
	*w = (struct warm){ 0 };
}

void warm_fork_child(void)
{
	for (unsigned i = 0; i < vprocs_made(); i++) {
		give_all_back(&sched.vprocs[i].bare);
		give_all_back(&sched.vprocs[i].full);
	}
}
