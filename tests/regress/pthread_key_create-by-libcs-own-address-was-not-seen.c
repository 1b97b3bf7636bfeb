// SPDX-License-Identifier: BSD-2-Clause
// A key that was made by libc's own function, as by a library that looks there first: at the end of a thread its
// destructor was not called, and the next thread was born with the value.
#include <dlfcn.h>

#include "../posix/harness.h"

enum { KEYS = 40, ROUNDS = 20 };	/* more than one block of libc's */

static pthread_key_t keys[KEYS];
static atomic_int destroyed;

static void destroy(void *arg UNUSED)
{
	destroyed++;
}

static void *sets(void *arg)
{
	for (int i = 0; i < KEYS; i++) {
		CHECK(!pthread_getspecific(keys[i]));
		CHECK_OK(pthread_setspecific(keys[i], &keys[i]));
	}
	return arg;
}

static void *in_library(const char *library, const char *name)
{
	void *lib = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);

	return lib ? dlsym(lib, name) : NULL;
}

int main(void)
{
	void *found = in_library("libpthread.so.0", "pthread_key_create");
	pthread_key_t first;

	if (!found)
		found = in_library("libc.so.6", "pthread_key_create");
	if (!found)
		skip("libc's pthread_key_create is not found");
	int (*create)(pthread_key_t *, void (*)(void *)) = (int (*)(pthread_key_t *, void (*)(void *)))found;

	join(spawn(nothing, NULL));
	CHECK_OK(create(&first, destroy));
	for (int i = 0; i < KEYS; i++)
		CHECK_OK(create(&keys[i], destroy));
	CHECK_OK(pthread_key_delete(first));	/* nobody has seen it */
	for (int i = 0; i < ROUNDS; i++) {
		destroyed = 0;
		join(spawn(sets, NULL));
		CHECK_EQ(destroyed, KEYS);
	}
}
