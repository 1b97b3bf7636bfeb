// SPDX-License-Identifier: BSD-2-Clause
// A thread that is bound while it is inside a recursive lock of the C library's (here in a callback of
// dl_iterate_phdr) can give that lock back: others still load libraries.
#include "../posix/harness.h"

#include <dlfcn.h>
#include <link.h>

static int callback(struct dl_phdr_info *info UNUSED, size_t size UNUSED, void *arg)
{
	cpu_set_t set;
	int first = -1;

	CHECK_OK(pthread_getaffinity_np(pthread_self(), sizeof set, &set));
	for (int cpu = 0; cpu < CPU_SETSIZE && first < 0; cpu++)
		if (CPU_ISSET(cpu, &set))
			first = cpu;
	CPU_ZERO(&set);
	CPU_SET(first, &set);
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
	*(int *)arg = 1;
	return 1;
}

static void *binds(void *arg UNUSED)
{
	int called = 0;

	CHECK_EQ(dl_iterate_phdr(callback, &called), 1);
	CHECK(called);
	return NULL;
}

static void *loads(void *arg UNUSED)
{
	int called = 0;

	CHECK_EQ(dl_iterate_phdr(callback, &called), 1);
	CHECK(dlopen("libm.so.6", RTLD_NOW) != NULL);
	return NULL;
}

int main(void)
{
	join(spawn(binds, NULL));
	join(spawn(loads, NULL));
}
