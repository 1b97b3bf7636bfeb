// SPDX-License-Identifier: BSD-2-Clause
// Where all memory to come is locked, a few threads take what their stacks take, not those of threads to come as well;
// and so they do where the memory that there is is locked while they run.
#include "../harness.h"
#include <sys/mman.h>
#include <sys/resource.h>

enum { N = 4, MB = 1 << 20, MOST_MB = 16 * N };

static sem_t go;

static long locked_mb(void)
{
	char line[200];
	long kb = -1;
	FILE *f = fopen("/proc/self/status", "r");

	CHECK(f);
	while (fgets(line, sizeof(line), f))
		sscanf(line, "VmLck: %ld kB", &kb);
	fclose(f);
	CHECK(kb >= 0);
	return kb / 1024;
}

static void *body(void *arg)
{
	while (sem_wait(&go))
		;
	return arg;
}

static void some_threads(pthread_t *t, int n)
{
	pthread_attr_t attr;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setstacksize(&attr, 8 * MB));
	for (int i = 0; i < n; i++)
		CHECK_OK(pthread_create(&t[i], &attr, body, NULL));
}

static void end(pthread_t *t, int n)
{
	for (int i = 0; i < n; i++)
		CHECK_OK(sem_post(&go));
	join_many(t, n);
}

static void all_to_come(void)
{
	pthread_t t[N];

	CHECK_OK(mlockall(MCL_CURRENT | MCL_FUTURE));
	long before = locked_mb();

	some_threads(t, N);
	CHECK(locked_mb() - before < MOST_MB);
	end(t, N);
	CHECK_OK(munlockall());
	some_threads(t, N);
	CHECK_EQ(locked_mb(), 0);
	end(t, N);
}

static void all_there_is(void)
{
	pthread_t t[2 * N];

	some_threads(t, N);
	CHECK_OK(mlockall(MCL_CURRENT));
	CHECK(locked_mb() < MOST_MB + 64);
	some_threads(t + N, N);
	end(t, 2 * N);
}

static bool may_lock_much(void)
{
	struct rlimit r;

	CHECK_OK(getrlimit(RLIMIT_MEMLOCK, &r));
	if (r.rlim_cur >= (rlim_t)1 << 30)
		return true;
	size_t bytes = r.rlim_cur + 2 * 4096;
	void *p = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool may = p != MAP_FAILED && mlock2(p, bytes, MLOCK_ONFAULT) == 0;

	munmap(p, bytes);
	return may;
}

int main(void)
{
	if (!may_lock_much())
		skip("it may lock too little");
	CHECK_OK(sem_init(&go, 0, 0));
	CHECK_EQ(in_child(all_to_come), 0);
	CHECK_EQ(in_child(all_there_is), 0);
}
