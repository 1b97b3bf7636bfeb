// SPDX-License-Identifier: BSD-2-Clause
/* Threads where the address space is limited. */
#ifndef LIMITED_H
#define LIMITED_H

#include "harness.h"

#include <sys/resource.h>

enum { MB = 1 << 20 };

static inline size_t address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	size_t pages;

	CHECK(f && fscanf(f, "%zu", &pages) == 1);
	fclose(f);
	return pages * 4096;
}

/* Makes a thread with so large a stack, and joins it. */
static inline void make(size_t stack)
{
	pthread_attr_t attr;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setstacksize(&attr, stack));
	CHECK_OK(pthread_create(&t, &attr, nothing, NULL));
	join(t);
	pthread_attr_destroy(&attr);
}

/* So much more than there is. */
static inline void limit_address_space(size_t more)
{
	rlim_t bytes = address_space() + more;
	struct rlimit limit = { bytes, bytes };

	CHECK_OK(setrlimit(RLIMIT_AS, &limit));
}

#endif
