// SPDX-License-Identifier: BSD-2-Clause
// A library with thread-local data that is loaded while threads run gives each thread its own,
// initialised copy.
#include "library.h"

static const char source[] = "__thread int v = 7; __thread char big[3000];\n"
			     "int *f(void) { big[1]++; return &v; }\n";
static int *(*fn)(void);
static atomic_bool loaded;

static void *body(void *arg)
{
	int me = (int)(intptr_t)arg;
	int *p;

	WAIT_FOR(loaded);
	p = fn();
	CHECK_EQ(*p, 7);
	for (int i = 0; i < 20; i++) {
		*p = me;
		sched_yield();
		CHECK(fn() == p);
		CHECK_EQ(*p, me);
	}
	return NULL;
}

int main(void)
{
	char so[80];
	pthread_t t[6];
	void *lib;

	snprintf(so, sizeof so, "%s.so", fresh_path());
	if (!build_library(so, source, ""))
		skip("no C compiler to make a library with");
	spawn_many(t, 6, body);
	settle();
	lib = dlopen(so, RTLD_NOW);
	unlink(so);
	CHECK(lib != NULL);
	fn = (int *(*)(void))dlsym(lib, "f");
	CHECK(fn != NULL);
	loaded = true;
	join_many(t, 6);
	spawn_many(t, 6, body);
	join_many(t, 6);
}
