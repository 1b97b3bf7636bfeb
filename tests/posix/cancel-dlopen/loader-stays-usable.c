// SPDX-License-Identifier: BSD-2-Clause
// dlopen and dlclose may be cancellation points (POSIX, 2.9.5.2); cancelled there or not, a thread does not leave the
// loader's lock in its hands: others load, look up and unload.
#include "../harness.h"

#include <dlfcn.h>

enum { THREADS = 8 };

static const char *library;
static atomic_bool begun;

static bool loads(const char *name)
{
	void *l = dlopen(name, RTLD_NOW);

	if (!l)
		return false;
	dlsym(l, "no_such_symbol");
	CHECK(dlerror() != NULL);
	CHECK_OK(dlclose(l));
	return true;
}

static void *body(void *arg UNUSED)
{
	begun = true;
	for (;;) {
		CHECK(loads(library));
		pthread_testcancel();
	}
	return NULL;
}

int main(void)
{
	/* Libraries of glibc's own that a program does not have already. */
	library = loads("libBrokenLocale.so.1") ? "libBrokenLocale.so.1" : "libthread_db.so.1";
	if (!loads(library))
		skip("no library to load here");
	for (int i = 0; i < THREADS; i++) {
		begun = false;
		pthread_t t = spawn(body, NULL);

		WAIT_FOR(begun);
		CHECK_OK(pthread_cancel(t));
		CHECK(join(t) == PTHREAD_CANCELED);
		CHECK(loads(library));
	}
}
