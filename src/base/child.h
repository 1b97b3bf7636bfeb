// SPDX-License-Identifier: BSD-2-Clause
/* What a forked child does to the memory that it has from its parent. */
#ifndef UPCALL_BASE_CHILD_H
#define UPCALL_BASE_CHILD_H

#include <string.h>

/* A page that is written has to be copied first, which takes as long as a system call or two: so who is zero is left alone. */
static inline void zero_in_child(void *p, size_t bytes)
{
	const char *at = p;

	if (at[0] || memcmp(at, at + 1, bytes - 1) != 0)
		memset(p, 0, bytes);
}

#endif
