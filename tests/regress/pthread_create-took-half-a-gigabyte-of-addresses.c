// SPDX-License-Identifier: BSD-2-Clause
// Where the address space is limited, one thread with a stack of the usual size leaves the rest of it to the program:
// room for many more was taken.
#include <sys/resource.h>

#include "../posix/harness.h"

enum { MB = 1 << 20, LIMIT = 700, STACK = 8, NEEDED = 450 };

static size_t address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	size_t pages;

	CHECK(f && fscanf(f, "%zu", &pages) == 1);
	fclose(f);
	return pages * 4096;
}

static void create_one(void)
{
	pthread_attr_t attr;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setstacksize(&attr, STACK * MB));
	CHECK_OK(pthread_create(&t, &attr, nothing, NULL));
	join(t);
	pthread_attr_destroy(&attr);
}

int main(void)
{
	rlim_t bytes = address_space() + (size_t)LIMIT * MB;
	struct rlimit limit = { bytes, bytes };

	CHECK_OK(setrlimit(RLIMIT_AS, &limit));
	create_one();
	CHECK(mmap(NULL, (size_t)NEEDED * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}
