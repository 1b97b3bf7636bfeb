// SPDX-License-Identifier: BSD-2-Clause
/*
 * A child that was forked while another thread was in dlopen made a thread, and waited for the loader's lock, which
 * nobody in the child would give back.
 */
#include "../posix/harness.h"
#include <dlfcn.h>

enum { FORKS = 150 };

static atomic_bool is_over;

static void *loads(void *arg)
{
	while (!is_over) {
		void *library = dlopen("libm.so.6", RTLD_NOW);

		CHECK(library != NULL);
		CHECK_OK(dlclose(library));
	}
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

/* One place in memory: a caller of pthread_create that is new is looked up in the loader's list. */
__attribute__((noinline)) static pthread_t make(void *(*fn)(void *))
{
	return spawn(fn, NULL);
}

static void child(void)
{
	join(make(nothing));
}

int main(void)
{
	pthread_t t = make(loads);

	for (int i = 0; i < FORKS; i++)
		CHECK_EQ(in_child(child), 0);
	is_over = true;
	join(t);
}
