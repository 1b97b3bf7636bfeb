// SPDX-License-Identifier: BSD-2-Clause
// Libraries whose thread-local data is reached in each of the four ways are loaded, used by threads
// that ran before and by new ones, and unloaded, again and again while other threads come and go.
#include "library.h"

enum { MODELS = 4, USERS = 6, ROUNDS = 8 };

static const char source[] = "static __thread int v = 7, w;\n"
			     "int *f(void) { w = v; return &v; }\n"
			     "int g(void) { return w; }\n";

static const char *const flags[MODELS] = {
	"-O0 -ftls-model=global-dynamic", "-O0 -ftls-model=local-dynamic",
	"-O0 -ftls-model=initial-exec", "-O0 -mtls-dialect=gnu2",
};

static int *(*f[MODELS])(void);
static int (*g[MODELS])(void);
static pthread_barrier_t barrier;
static atomic_bool over;

static void use(int model, int mark)
{
	int *p = f[model]();

	CHECK_EQ(*p, 7);
	for (int i = 0; i < 10; i++) {
		*p = mark + i;
		sched_yield();
		CHECK(f[model]() == p);
		CHECK_EQ(g[model](), mark + i);
	}
}

static void use_all(int mark)
{
	for (int model = 0; model < MODELS; model++)
		if (f[model])
			use(model, mark);
}

/* One that is there all the time: between two waits for the others the libraries are loaded. */
static void *user(void *arg)
{
	for (int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&barrier);
		use_all(100 * (int)(intptr_t)arg);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void *newcomer(void *arg)
{
	use_all(10000 * ((int)(intptr_t)arg + 1));
	return NULL;
}

static void *come_and_go(void *arg UNUSED)
{
	while (!atomic_load(&over))
		join(spawn(nothing, NULL));
	return NULL;
}

int main(void)
{
	char so[MODELS][80];
	bool is_made[MODELS];
	int made = 0;
	pthread_t t[USERS], n[USERS], other;

	for (int i = 0; i < MODELS; i++) {
		snprintf(so[i], sizeof so[i], "%s.so", fresh_path());
		is_made[i] = build_library(so[i], source, flags[i]);
		made += is_made[i];
	}
	if (!made)
		skip("no C compiler to make libraries with");
	CHECK_OK(pthread_barrier_init(&barrier, NULL, USERS + 1));
	spawn_many(t, USERS, user);
	other = spawn(come_and_go, NULL);
	for (int round = 0; round < ROUNDS; round++) {
		void *lib[MODELS] = { NULL };

		for (int i = 0; i < MODELS; i++) {
			if (!is_made[i])
				continue;
			lib[i] = dlopen(so[i], RTLD_NOW);
			CHECK(lib[i] != NULL);
			f[i] = (int *(*)(void))dlsym(lib[i], "f");
			g[i] = (int (*)(void))dlsym(lib[i], "g");
		}
		pthread_barrier_wait(&barrier);
		spawn_many(n, USERS, newcomer);
		join_many(n, USERS);
		pthread_barrier_wait(&barrier);
		for (int i = 0; i < MODELS; i++)
			if (lib[i])
				CHECK_OK(dlclose(lib[i]));
	}
	atomic_store(&over, true);
	join(other);
	join_many(t, USERS);
	for (int i = 0; i < MODELS; i++)
		unlink(so[i]);
}
