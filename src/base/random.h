// SPDX-License-Identifier: BSD-2-Clause
/* Numbers to draw lots by, where nobody tries to foresee them.  The upper bits are the better ones. */
#ifndef UPCALL_BASE_RANDOM_H
#define UPCALL_BASE_RANDOM_H

#include <stdint.h>

static inline uint32_t random_next(uint32_t *state)
{
	return *state = *state * 1664525 + 1013904223;
}

#endif
