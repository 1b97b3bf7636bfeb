// SPDX-License-Identifier: BSD-2-Clause
/* Threads that compute, and yield now and then, beside what is tested: it goes on wherever there is room. */
#ifndef BESIDE_H
#define BESIDE_H

#include "harness.h"

enum { BESIDE = 4 };

static pthread_t beside[BESIDE];
static atomic_bool beside_ends;

static inline void *beside_computes(void *arg)
{
	for (int i = 0; !beside_ends; i++)
		if (i % 1000 == 0)
			sched_yield();
	return arg;
}

static inline void beside_begin(void)
{
	spawn_many(beside, BESIDE, beside_computes);
}

static inline void beside_end(void)
{
	beside_ends = true;
	join_many(beside, BESIDE);
}

#endif
