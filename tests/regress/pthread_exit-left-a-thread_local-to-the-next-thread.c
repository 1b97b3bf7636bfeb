// SPDX-License-Identifier: BSD-2-Clause
// The destructor of a thread_local that a key's destructor had made ran at the end of another thread, which had the
// memory of that one.  Whether it runs at the end of its own is left open: libc's does not.
#include "../posix/harness.h"

extern int __cxa_thread_atexit_impl(void (*fn)(void *), void *arg, void *dso);
extern void *__dso_handle;

enum { ROUNDS = 20 };

static pthread_key_t key;
static atomic_bool has_ended;
static atomic_int ran_late;

static void destroy(void *arg UNUSED)
{
	ran_late += has_ended;
}

static void make(void *arg UNUSED)
{
	CHECK_OK(__cxa_thread_atexit_impl(destroy, NULL, &__dso_handle));
}

static void *sets(void *arg)
{
	CHECK_OK(pthread_setspecific(key, &key));
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&key, make));
	for (int i = 0; i < ROUNDS; i++) {
		has_ended = false;
		join(spawn(sets, NULL));
		has_ended = true;
		join(spawn(nothing, NULL));
		CHECK_EQ(ran_late, 0);
	}
}
