// SPDX-License-Identifier: BSD-2-Clause
// Many threads load libraries with thread-local data, use them and unload them at the same time, each its own and
// one that all share, while others wait, come and go: each finds the initial values, and then what it wrote.
#include "library.h"

enum { LOADERS = 4, ROUNDS = 8, WORDS = 40, START = 77 };

static const char source[] = "#define N 40\n"
			     "static __thread int v[N] = { 77, 78 }; static __thread int zero[N];\n"
			     "int *f(void) { return v; }\n"
			     "int *g(void) { return zero; }\n";

static char own[LOADERS][80], shared[80];
static sem_t is_over;
static atomic_bool stop;

static void use(const char *so, int mark)
{
	void *lib = dlopen(so, RTLD_NOW);

	CHECK(lib != NULL);
	int *(*f)(void) = (int *(*)(void))dlsym(lib, "f");
	int *(*g)(void) = (int *(*)(void))dlsym(lib, "g");
	int *v = f(), *zero = g();

	CHECK_EQ(v[0], START);
	CHECK_EQ(v[1], START + 1);
	for (int i = 0; i < WORDS; i++)
		CHECK_EQ(zero[i], 0);
	for (int i = 0; i < WORDS; i++)
		v[i] = zero[i] = mark + i;
	sched_yield();
	CHECK(f() == v && g() == zero);
	for (int i = 0; i < WORDS; i++)
		CHECK(v[i] == mark + i && zero[i] == mark + i);
	/* As the next one that has them is to find them, where the library stays loaded meanwhile. */
	memset(v, 0, WORDS * sizeof *v);
	memset(zero, 0, WORDS * sizeof *zero);
	v[0] = START;
	v[1] = START + 1;
	CHECK_OK(dlclose(lib));
}

static void *loader(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int round = 0; round < ROUNDS; round++) {
		use(own[me], 1000 * round);
		use(shared, 1000 * me + round);
	}
	return NULL;
}

static void *waiter(void *arg)
{
	CHECK_OK(sem_wait(&is_over));
	use(shared, 5);
	return arg;
}

static void *come_and_go(void *arg)
{
	while (!stop) {
		join(spawn(nothing, NULL));
		sleep_ms(1);
	}
	return arg;
}

/* To the loader another library. */
static void copy(const char *from, char *to)
{
	static char bytes[1 << 20];
	int in = open(from, O_RDONLY), out;
	ssize_t n = read(in, bytes, sizeof bytes);

	snprintf(to, 80, "%s.so", fresh_path());
	out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0700);
	CHECK(n > 0 && n < (ssize_t)sizeof bytes);
	CHECK_EQ(write(out, bytes, (size_t)n), n);
	CHECK_OK(close(in));
	CHECK_OK(close(out));
}

int main(void)
{
	pthread_t t[LOADERS], w[LOADERS], other;

	snprintf(shared, sizeof shared, "%s.so", fresh_path());
	if (!build_library(shared, source, "-O0 -ftls-model=global-dynamic"))
		skip("no C compiler to make a library with");
	for (int i = 0; i < LOADERS; i++)
		copy(shared, own[i]);
	CHECK_OK(sem_init(&is_over, 0, 0));
	spawn_many(w, LOADERS, waiter);
	other = spawn(come_and_go, NULL);
	spawn_many(t, LOADERS, loader);
	join_many(t, LOADERS);
	stop = true;
	join(other);
	for (int i = 0; i < LOADERS; i++)
		CHECK_OK(sem_post(&is_over));
	join_many(w, LOADERS);
	for (int i = 0; i < LOADERS; i++)
		unlink(own[i]);
	unlink(shared);
}
