// SPDX-License-Identifier: BSD-2-Clause
/* Who spins, and for whom: neither the vprocs' memory nor that of activations and threads is ever given back. */
#include "vproc.h"

enum { VPROCS_LOOKED_AT = 16 };

static inline struct vproc *own_vproc(void)
{
	struct thread *me = self_ptr;
	struct activation *a = me && me->kind == THREAD_USER ? __atomic_load_n(&me->act, __ATOMIC_RELAXED) : NULL;

	return a ? a->vproc : NULL;
}

/*
 * Where other threads are ready here, to spin in vain costs them the processor: after a few failures the next so many
 * waits park at once.  Where nobody is ready it costs nothing.
 */
enum { CREDIT_MOST = 8, CREDIT_LOSS = 2, CREDIT_NONE = -16 };

/* Relaxed, all of it: it decides nothing but how long somebody waits. */
bool sched_spin_begin(const void *what)
{
	struct vproc *vp = own_vproc();

	if (!vp)
		return true;
	int credit = (int)load_relaxed(&vp->spin_credit);

	if (credit < 0 && runq_length(&vp->runq) > 0) {
		store_relaxed(&vp->spin_credit, (uint32_t)(credit + 1));
		return false;
	}
	store_relaxed(&vp->spins_on, what);
	return true;
}

void sched_spin_end(bool has_paid)
{
	struct vproc *vp = own_vproc();

	if (!vp)
		return;
	int credit = (int)load_relaxed(&vp->spin_credit);

	store_relaxed(&vp->spins_on, NULL);
	if (!has_paid)
		credit = credit > 0 ? credit - CREDIT_LOSS : CREDIT_NONE;
	else if (credit < CREDIT_MOST)
		credit++;
	store_relaxed(&vp->spin_credit, (uint32_t)credit);
}

static struct vproc *spinner(const void *what)
{
	struct vproc *mine = own_vproc();
	unsigned n = vprocs_made(), from = mine ? mine->id + 1 : 0;

	for (unsigned i = 0; i < n && i < VPROCS_LOOKED_AT; i++) {
		struct vproc *vp = &sched.vprocs[(from + i) % n];

		if (vp != mine && load_relaxed(&vp->spins_on) == what)
			return vp;
	}
	return NULL;
}

bool sched_has_spinner(const void *what)
{
	return spinner(what) != NULL;
}

void sched_deny_spinner(const void *what)
{
	struct vproc *vp = spinner(what);

	if (vp)
		store_relaxed(&vp->spins_on, NULL);
}

bool sched_may_run(uint32_t mark, int tid, unsigned *place)
{
	unsigned n = vprocs_made();

	if (n > VPROCS_LOOKED_AT || load_relaxed(&thread_has_bound) || (!mark && !tid))
		return true;
	for (unsigned i = 0, at = *place; i < n; i++, at = at + 1 < n ? at + 1 : 0) {
		struct activation *a = vproc_owner(&sched.vprocs[at]);
		struct thread *t = a ? load_acquire(&a->thread) : NULL;

		*place = at;
		if (t && (mark ? (thread_mark(t) & ~3u) == mark : t->tid == tid))
			return true;
	}
	return false;
}
