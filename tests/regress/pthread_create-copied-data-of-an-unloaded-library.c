// SPDX-License-Identifier: BSD-2-Clause
// A new thread's thread-local data of a library were those of another one that had been unloaded while the thread was
// made, and had had the same place.  In every other round the threads are of a size that there has been none of.
#include "../posix/tls/library.h"

enum { ROUNDS = 40, THREADS = 24, STACK_MIN = 256 * 1024, STACK_STEP = 16 * 1024 };

static atomic_int round_begun, is_loaded, is_warm, made;
static int (*get)(void);

static void spin(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

static void *checks(void *arg UNUSED)
{
	while (!is_loaded)
		sched_yield();
	CHECK_EQ(get(), 9);
	return NULL;
}

/* So that blocks are there to be used again, by a runtime that knows what they look like new. */
static void warm_up(void)
{
	pthread_t t[THREADS];

	spawn_many(t, THREADS, nothing);
	join_many(t, THREADS);
	spawn_many(t, THREADS, nothing);
	join_many(t, THREADS);
}

static void *creates(void *arg UNUSED)
{
	pthread_t t[THREADS];
	pthread_attr_t new_size;

	CHECK_OK(pthread_attr_init(&new_size));
	for (int round = 1; round <= ROUNDS; round++) {
		bool is_new = round % 2;

		CHECK_OK(pthread_attr_setstacksize(&new_size, STACK_MIN + (size_t)round * STACK_STEP));
		while (round_begun < round)	/* on a processor of its own */
			;
		if (!is_new)
			warm_up();
		is_warm = round;
		for (int i = 0; i < THREADS; i++) {
			CHECK_OK(pthread_create(&t[i], is_new ? &new_size : NULL, checks, NULL));
			spin(5000);
		}
		join_many(t, THREADS);
		made = round;
	}
	return NULL;
}

static void *load(const char *so)
{
	void *lib = dlopen(so, RTLD_NOW);

	CHECK(lib != NULL);
	return lib;
}

int main(void)
{
	static const char *const sources[] = {
		"__thread long v[16] = { 7, 7, 7, 7 };\nint get(void) { return (int)v[0]; }\n",
		"__thread long w[16] = { 9, 9, 9, 9 };\nint get(void) { return (int)w[0]; }\n",
	};
	char so[2][80];

	for (int i = 0; i < 2; i++) {
		snprintf(so[i], sizeof so[i], "%s.so", fresh_path());
		if (!build_library(so[i], sources[i], "-O0 -ftls-model=initial-exec"))
			skip("no C compiler to make libraries with");
	}
	pthread_t creator = spawn(creates, NULL);

	for (int round = 1; round <= ROUNDS; round++) {
		void *lib = load(so[0]);

		is_loaded = 0;
		round_begun = round;
		while (is_warm < round)
			;
		spin((round % 2 ? 30000 : 3000) * (round % 8));
		CHECK_OK(dlclose(lib));
		lib = load(so[1]);
		get = (int (*)(void))dlsym(lib, "get");
		is_loaded = 1;
		while (made < round)
			sched_yield();
		CHECK_OK(dlclose(lib));
	}
	join(creator);
	unlink(so[0]);
	unlink(so[1]);
}
