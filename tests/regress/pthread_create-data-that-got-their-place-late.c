// SPDX-License-Identifier: BSD-2-Clause
// A library's thread-local data get a fixed place when another library that is loaded later wants one of them there: from
// then on, too, new threads find the initial values, and not those of threads that have ended.
#include "../posix/tls/library.h"

enum { THREADS = 24, INITIALLY = 7, TURNS = 3 };

static int *(*get)(void);

static void *checks(void *arg)
{
	if (get) {
		for (int i = 0; i < 4; i++)
			CHECK_EQ(get()[i], i ? 0 : INITIALLY);
		memset(get(), 0x55, 4 * sizeof(int));
	}
	return arg;
}

static void check_threads(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < TURNS; i++) {
		spawn_many(t, THREADS, checks);
		join_many(t, THREADS);
	}
}

static void *load(const char *so)
{
	void *lib = dlopen(so, RTLD_NOW | RTLD_GLOBAL);

	if (!lib)
		dprintf(2, "%s\n", dlerror());
	CHECK(lib != NULL);
	return lib;
}

int main(void)
{
	static const char owner[] = "__thread int v[4] = { 7 };\nint *own(void) { return v; }\n";
	static const char user[] = "extern __thread int v[4];\nint *get(void) { return v; }\n";
	char so[2][80];

	snprintf(so[0], sizeof so[0], "%s.so", fresh_path());
	snprintf(so[1], sizeof so[1], "%s.so", fresh_path());
	if (!build_library(so[0], owner, "-O0 -ftls-model=global-dynamic") ||
	    !build_library(so[1], user, "-O0 -ftls-model=initial-exec"))
		skip("no C compiler to make libraries with");
	check_threads();
	load(so[0]);
	check_threads();
	get = (int *(*)(void))dlsym(load(so[1]), "get");
	CHECK(get != NULL);
	check_threads();
	unlink(so[0]);
	unlink(so[1]);
}
