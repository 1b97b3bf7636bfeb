// SPDX-License-Identifier: BSD-2-Clause
/* <upcall/policy.h>: what a policy finds, and calls. */
#include "../sched/policy.h"

#include "native.h"

ASSERT_FITS(struct lock, struct upcall_policy_lock);

const struct upcall_policy *upcall_policy_named(const char *name)
{
	return policy_named(name);
}

struct upcall_policy_slot *upcall_policy_slot(upcall_t t)
{
	return policy_slot(t);
}

int upcall_priority_in_force(upcall_t t)
{
	return policy_priority_of(thread_of_handle(t));
}

void upcall_policy_lock(struct upcall_policy_lock *l)
{
	lock_take((struct lock *)l);
}

void upcall_policy_unlock(struct upcall_policy_lock *l)
{
	lock_drop((struct lock *)l);
}
