// SPDX-License-Identifier: BSD-2-Clause
// A library's constructor starts threads, waits for one and leaves one running, in a program that had
// none or has some.
#include "library.h"

static const char source[] =
	"#include <pthread.h>\n"
	"#include <semaphore.h>\n"
	"static sem_t stop; static pthread_t left; static int first, seen; static __thread int mine = 5;\n"
	"static void *one(void *a) { first++; return a; }\n"
	"static void *two(void *a) { sem_wait(&stop); seen = mine; return a; }\n"
	"__attribute__((constructor)) static void begin(void)\n"
	"{ pthread_t t; sem_init(&stop, 0, 0); pthread_create(&t, 0, one, 0); pthread_join(t, 0);\n"
	"  pthread_create(&left, 0, two, 0); }\n"
	"int started(void) { return first; }\n"
	"int finish(void) { sem_post(&stop); pthread_join(left, 0); return seen; }\n";

static char so[80];

static void load(void)
{
	void *lib = dlopen(so, RTLD_NOW);

	CHECK(lib != NULL);
	int (*started)(void) = (int (*)(void))dlsym(lib, "started");
	int (*finish)(void) = (int (*)(void))dlsym(lib, "finish");

	CHECK_EQ(started(), 1);
	CHECK_EQ(finish(), 5);
	CHECK_OK(dlclose(lib));
}

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < 4; i++)
		load();
	return NULL;
}

int main(void)
{
	snprintf(so, sizeof so, "%s.so", fresh_path());
	if (!build_library(so, source, "-pthread"))
		skip("no C compiler to make a library with");
	load();			/* the first threads of the process */
	load();
	join(spawn(body, NULL));
	unlink(so);
}
