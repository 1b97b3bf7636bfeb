// SPDX-License-Identifier: BSD-2-Clause
// After a library with thread-local data had been unloaded, no thread's data were copied any more, but made by the loader,
// which takes long.  New threads find the initial values of all there are, whatever comes and goes, and however often
// that was done.
#include "../posix/tls/library.h"

enum { ROUNDS = 10, THREADS = 24, TURNS = 2, MINE = 5 };

static __thread int mine = MINE;
static int *(*get)(void);
static int initially;

static void *checks(void *arg)
{
	CHECK_EQ(mine, MINE);
	mine = 0;
	if (get) {
		CHECK_EQ(*get(), initially);
		*get() = 0;
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

static void check_with(const char *so, int value)
{
	void *lib = dlopen(so, RTLD_NOW);

	CHECK(lib != NULL);
	get = (int *(*)(void))dlsym(lib, "get");
	CHECK(get != NULL);
	initially = value;
	check_threads();
	get = NULL;
	CHECK_OK(dlclose(lib));
}

int main(void)
{
	static const char *const sources[] = {
		"__thread int v[16] = { 7, 7, 7, 7 };\nint *get(void) { return v; }\n",
		"__thread int w[16] = { 9, 9, 9, 9 };\nint *get(void) { return w; }\n",
	};
	char so[2][80];

	for (int i = 0; i < 2; i++) {
		snprintf(so[i], sizeof so[i], "%s.so", fresh_path());
		if (!build_library(so[i], sources[i], "-O0 -ftls-model=initial-exec"))
			skip("no C compiler to make libraries with");
	}
	for (int round = 0; round < ROUNDS; round++) {
		check_threads();
		check_with(so[0], 7);
		check_threads();
		check_with(so[1], 9);
	}
	unlink(so[0]);
	unlink(so[1]);
}
