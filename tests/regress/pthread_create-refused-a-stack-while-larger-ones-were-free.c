// SPDX-License-Identifier: BSD-2-Clause
// Where no addresses are left for a stack of a size that there has been none of, a thread gets a larger one that others
// have left.
#include <sys/resource.h>

#include "../posix/harness.h"

enum { MB = 1 << 20, SMALL = 3 * MB, LARGE = 4 * MB, STEP = 64 << 10 };

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
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (long i = 0; i < cpus + 2; i++)	/* each of them may keep some of a size for itself */
		make(LARGE + (size_t)i * STEP);

	rlim_t bytes = address_space() + MB;
	struct rlimit limit = { bytes, bytes };

	CHECK_OK(setrlimit(RLIMIT_AS, &limit));
	make(SMALL);
}
