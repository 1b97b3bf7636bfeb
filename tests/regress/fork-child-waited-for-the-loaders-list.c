// SPDX-License-Identifier: BSD-2-Clause
/*
 * A child that was forked while another thread was loading a library made threads one after the other, whose TLS blocks
 * were to be learnt from the loader's list of libraries: it waited for the lock of that, which nobody in the child would give back.
 */
#include "../posix/harness.h"
#include <dlfcn.h>

enum { FORKS = 100, THREADS = 3 };

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

static void child(void)
{
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
