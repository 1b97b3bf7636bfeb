// SPDX-License-Identifier: BSD-2-Clause
/*
 * A child that was forked while another thread was in dlopen made a thread, and waited for the loader's lock, which
 * nobody in the child would give back.  So it did for the lock of the list of libraries, where it made threads one
 * after the other, whose used TLS blocks were to be learnt from that.
 */
#include "../posix/harness.h"
#include <dlfcn.h>

enum { FORKS = 150, THREADS = 3 };

static atomic_bool is_over;

static void *loads(void *arg)
{
	while (!is_over) {
		void *library = dlopen("libresolv.so.2", RTLD_NOW);	/* each time from its file */

		CHECK(library != NULL);
		CHECK_OK(dlclose(library));
	}
	return arg;
}

/* From two places in memory: a caller of pthread_create that is new is looked up in the loader's list. */
static void child(void)
{
	pthread_t first, second;

	CHECK_OK(pthread_create(&first, NULL, nothing, NULL));
	CHECK_OK(pthread_create(&second, NULL, nothing, NULL));
	join(first);
	join(second);
	for (int i = 0; i < THREADS; i++)
		join(spawn(nothing, NULL));
}

int main(void)
{
	if (!__GLIBC_PREREQ(2, 35))
		skip("before glibc 2.35 no code is found without a lock of the loader's");

	pthread_t t = spawn(loads, NULL);

	for (int i = 0; i < FORKS; i++)
		CHECK_EQ(in_child(child), 0);
	is_over = true;
	join(t);
}
