// SPDX-License-Identifier: BSD-2-Clause
// Where the address space is limited, threads with many sizes of stacks can be made, one after the other: room for many
// of each size was taken, until there was none for a thread of another size.
#include <sys/resource.h>

#include "../posix/harness.h"

enum { MB = 1 << 20, LIMIT = 400, SIZES = 100, LEAST = 128 << 10, STEP = 16 << 10 };

static size_t address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	size_t pages;

	CHECK(f && fscanf(f, "%zu", &pages) == 1);
	fclose(f);
	return pages * 4096;
}

static void make(size_t stack)
{
	pthread_attr_t attr;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setstacksize(&attr, stack));
	CHECK_OK(pthread_create(&t, &attr, nothing, NULL));
	join(t);
	pthread_attr_destroy(&attr);
}

int main(void)
{
	make(LEAST);

	rlim_t bytes = address_space() + (size_t)LIMIT * MB;
	struct rlimit limit = { bytes, bytes };

	CHECK_OK(setrlimit(RLIMIT_AS, &limit));
	for (size_t i = 1; i <= SIZES; i++)
		make(LEAST + i * STEP);
}
