// SPDX-License-Identifier: BSD-2-Clause
// What dlerror had to say to a thread that had ended was freed as the next one began, where that could not wait: here
// for the lock of an allocator of the program's own.
#include <dlfcn.h>

#include "../posix/harness.h"

extern void *__libc_malloc(size_t bytes);
extern void __libc_free(void *p);

enum { THREADS = 4, ROUNDS = 40 };

static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool takes_lock, is_over;

#ifndef __SANITIZE_ADDRESS__
void *malloc(size_t bytes)
{
	bool takes = takes_lock;

	if (takes)
		pthread_mutex_lock(&heap_lock);
	void *p = __libc_malloc(bytes);

	if (takes)
		pthread_mutex_unlock(&heap_lock);
	return p;
}

void free(void *p)
{
	bool takes = takes_lock && p;

	if (takes)
		pthread_mutex_lock(&heap_lock);
	__libc_free(p);
	if (takes)
		pthread_mutex_unlock(&heap_lock);
}
#endif

static void *keeps_lock(void *arg)
{
	while (!is_over) {
		pthread_mutex_lock(&heap_lock);
		sched_yield();
		pthread_mutex_unlock(&heap_lock);
		sched_yield();
	}
	return arg;
}

static void *fails(void *arg)
{
	CHECK(!dlopen("/there/is/no/such/library.so", RTLD_NOW));
	return arg;
}

int main(void)
{
	pthread_t keeper = spawn(keeps_lock, NULL), t[THREADS];

	takes_lock = true;
	for (int i = 0; i < ROUNDS; i++) {
		spawn_many(t, THREADS, fails);
		join_many(t, THREADS);
		spawn_many(t, THREADS, nothing);
		join_many(t, THREADS);
	}
	is_over = true;
	join(keeper);
}
