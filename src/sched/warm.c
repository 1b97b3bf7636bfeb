// SPDX-License-Identifier: BSD-2-Clause
/*
 * Descriptors of threads that have ended, with their stacks and blocks: a vproc keeps some at hand, of the two
 * kinds that programs make most, so that the next thread is made without a lock and of what is still in the
 * cache.  What is too much goes to its class (thread/stack.h), and what lacks comes from there, many at a time.
 */
#include "../thread/stack.h"
#include "vproc.h"

enum { KEPT = 64, MOVED = KEPT / 2 };

/* Those that ended last are moved: the others, which are next, have come to the right vproc as well. */
static COLD void give_some_back(struct warm *w)
{
	struct thread *first = w->first, *last = first;

	for (int i = 1; i < MOVED; i++)
		last = last->free_next;
	w->first = last->free_next;
	w->n -= MOVED;
	stack_put_chain(first, last);
}

static void put(struct warm *w, struct thread *t)
{
	if (unlikely(w->n == KEPT))
		give_some_back(w);
	t->free_next = w->first;
	compiler_barrier();		/* a child may be forked now */
	w->first = t;
	w->n++;
}

static struct thread *take(struct warm *w, struct stack_class *c)
{
	if (!w->first)
		w->n = stack_get_used(c, MOVED, &w->first);
	struct thread *t = w->first;

	if (!t || t->stack_class != c)
		return NULL;
	w->first = t->free_next;
	w->n--;
	return t;
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

int sched_create(size_t stack_bytes, size_t guard_bytes, void *user_stack, struct thread **ret_t)
{
	struct stack_class *c = thread_class(stack_bytes, guard_bytes, user_stack);
	struct thread *me = rt_enter();
	struct vproc *vp = vproc_of(me);
	struct thread *used = vp && c ? take(&vp->full, c) : NULL;

	rt_leave(me);
	return thread_create(c, used, stack_bytes, user_stack, ret_t);
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
		thread_recycle(t);
	}
}

/* Their vproc may have been amid a change: the list itself is always whole. */
static void give_all_back(struct warm *w)
{
	struct thread *last = w->first;

	if (!last)
		return;
	while (last->free_next)
		last = last->free_next;
	stack_put_alone(w->first, last);
	*w = (struct warm){ 0 };
}

void warm_fork_child(void)
{
	for (unsigned i = 0; i < sched.nvprocs; i++) {
		give_all_back(&sched.vprocs[i].bare);
		give_all_back(&sched.vprocs[i].full);
	}
}
