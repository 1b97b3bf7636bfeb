// SPDX-License-Identifier: BSD-2-Clause
// A library that is unloaded while threads have objects of its with destructors (C++'s thread_local) stays until
// those threads have ended, and their destructors run in it; when the last one has ended it can go.
#include "library.h"

enum { N = 6 };

/* The names are those that compilers use: for the object of the library itself, and to destroy at the thread's end. */
static const char source[] =
	"extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *); extern void *__dso_handle;\n"
	"static __thread int *mine;\n"
	"static void destroy(void *p) { if (p == &mine) __atomic_fetch_add(mine, 1, __ATOMIC_SEQ_CST); }\n"
	"int make(int *count) { mine = count; return __cxa_thread_atexit_impl(destroy, &mine, &__dso_handle); }\n";

static int destroyed;
static int (*make)(int *);
static pthread_barrier_t barrier;
static sem_t may_end;

static void *body(void *arg)
{
	CHECK_OK(make(&destroyed));
	pthread_barrier_wait(&barrier);
	while (sem_wait(&may_end) == -1)
		CHECK_EQ(errno, EINTR);
	return arg;
}

static bool is_loaded(const char *so)
{
	void *lib = dlopen(so, RTLD_NOW | RTLD_NOLOAD);

	if (lib)
		CHECK_OK(dlclose(lib));
	return lib != NULL;
}

int main(void)
{
	char so[80];
	pthread_t t[N];
	void *lib;

	snprintf(so, sizeof so, "%s.so", fresh_path());
	if (!build_library(so, source, ""))
		skip("no C compiler to make a library with");
	CHECK_OK(pthread_barrier_init(&barrier, NULL, N + 1));
	CHECK_OK(sem_init(&may_end, 0, 0));
	for (int round = 1; round <= 3; round++) {
		lib = dlopen(so, RTLD_NOW);
		CHECK(lib != NULL);
		make = (int (*)(int *))dlsym(lib, "make");
		CHECK(make != NULL);
		spawn_many(t, N, body);
		pthread_barrier_wait(&barrier);
		CHECK_OK(dlclose(lib));
		CHECK(is_loaded(so));
		for (int i = 0; i < N; i++)
			CHECK_OK(sem_post(&may_end));
		join_many(t, N);
		CHECK_EQ(destroyed, round * N);
		lib = dlopen(so, RTLD_NOW);	/* what is not needed any more goes with the next dlclose */
		CHECK(lib != NULL);
		CHECK_OK(dlclose(lib));
		CHECK(!is_loaded(so));
	}
	unlink(so);
}
