// SPDX-License-Identifier: BSD-2-Clause
/*
 * Contention scope (H1).  glibc knows one scope only, and every attribute object says
 * PTHREAD_SCOPE_SYSTEM without having been asked; many programs ask for it out of habit.  So what a
 * program asked for is kept in a gap of pthread_attr_t, between libc's flags and the size of the guard, which libc zeroes and
 * never reads, and it binds only under `upcall run --scope`.
 */
#include <errno.h>
#include <pthread.h>

#include "../sys/setting.h"
#include "alias.h"
#include "posix.h"
#include "real.h"

enum { ASKED_NOTHING, ASKED_SYSTEM, ASKED_PROCESS };
enum { GAP = 12 };

static bool scope_binds;

void attr_configure(void)
{
	scope_binds = setting_is_on("UPCALL_SCOPE");
}

static int *asked(const pthread_attr_t *attr)
{
	return (int *)((char *)(uintptr_t)attr + GAP);
}

EXPORT int pthread_attr_setscope(pthread_attr_t *attr, int scope)
{
	if (scope != PTHREAD_SCOPE_SYSTEM && scope != PTHREAD_SCOPE_PROCESS)
		return EINVAL;
	if (posix_is_bound())
		return REAL(pthread_attr_setscope)(attr, scope);
	*asked(attr) = scope == PTHREAD_SCOPE_SYSTEM ? ASKED_SYSTEM : ASKED_PROCESS;
	return 0;
}

EXPORT int pthread_attr_getscope(const pthread_attr_t *attr, int *ret_scope)
{
	*ret_scope = *asked(attr) == ASKED_PROCESS ? PTHREAD_SCOPE_PROCESS : PTHREAD_SCOPE_SYSTEM;
	return 0;
}

bool attr_binds(const pthread_attr_t *attr)
{
	return scope_binds && attr && *asked(attr) == ASKED_SYSTEM;
}
