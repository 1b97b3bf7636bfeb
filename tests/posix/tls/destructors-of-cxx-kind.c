// SPDX-License-Identifier: BSD-2-Clause
// Destructors registered by __cxa_thread_atexit_impl run at the thread's end, newest first, before those
// of keys.
#include "../harness.h"

extern int __cxa_thread_atexit_impl(void (*fn)(void *), void *arg, void *dso);
extern void *__dso_handle;
static char order[8];
static int n;
static pthread_key_t key;

static void note(void *arg)
{
	order[n++] = *(char *)arg;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_setspecific(key, "k"));
	CHECK_OK(__cxa_thread_atexit_impl(note, "a", &__dso_handle));
	CHECK_OK(__cxa_thread_atexit_impl(note, "b", &__dso_handle));
	return arg;
}

int main(void)
{
	CHECK_OK(pthread_key_create(&key, note));
	join(spawn(body, NULL));
	CHECK_EQ(strcmp(order, "bak"), 0);
}
