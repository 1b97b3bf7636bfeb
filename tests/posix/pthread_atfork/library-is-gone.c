// SPDX-License-Identifier: BSD-2-Clause
// Handlers that a library has registered go with it when it is unloaded (glibc's pthread_atfork is in each library, for
// that): a later fork, from main or from another thread, calls those of others only, in order.
#include "../tls/library.h"

enum { ROUNDS = 3 };

static const char source[] = "#include <pthread.h>\n"
			     "static char *to; static int *n;\n"
			     "static void before(void) { to[(*n)++] = 'l'; }\n"
			     "static void parent(void) { to[(*n)++] = 'm'; }\n"
			     "static void child(void) { to[(*n)++] = 'n'; }\n"
			     "int begin(char *where, int *count)\n"
			     "{ to = where; n = count; return pthread_atfork(before, parent, child); }\n";

static char order[16];
static int n;
static const char *want_child;

static void note(char c)
{
	order[n++] = c;
}

static void before1(void) { note('1'); }
static void parent1(void) { note('a'); }
static void child1(void) { note('x'); }
static void before2(void) { note('2'); }
static void parent2(void) { note('b'); }
static void child2(void) { note('y'); }

static void child(void)
{
	CHECK(!strcmp(order, want_child));
	join(spawn(nothing, NULL));
}

static void *forks(void *want_parent)
{
	n = 0;
	memset(order, 0, sizeof order);
	CHECK_EQ(in_child(child), 0);
	CHECK(!strcmp(order, want_parent));
	return NULL;
}

static void expect(const char *parents, const char *childs)
{
	want_child = childs;
	forks((void *)parents);
	join(spawn(forks, (void *)parents));
}

int main(void)
{
	char so[80];

	snprintf(so, sizeof so, "%s.so", fresh_path());
	if (!build_library(so, source, "-pthread"))
		skip("no C compiler to make a library with");
	CHECK_OK(pthread_atfork(before1, parent1, child1));
	for (int i = 0; i < ROUNDS; i++) {
		void *library = dlopen(so, RTLD_NOW);
		int (*begin)(char *, int *);

		CHECK(library != NULL);
		begin = (int (*)(char *, int *))dlsym(library, "begin");
		CHECK_OK(begin(order, &n));
		expect(i ? "l21abm" : "l1am", i ? "l21xyn" : "l1xn");
		if (i == 0)
			CHECK_OK(pthread_atfork(before2, parent2, child2));
		CHECK_OK(dlclose(library));
		expect("21ab", "21xy");
	}
	unlink(so);
}
