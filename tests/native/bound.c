// SPDX-License-Identifier: BSD-2-Clause
/*
 * UPCALL_BOUND: the thread has a kernel thread of its own when upcall_create returns, by its name if it has one;
 * where the system gives none, upcall_create says so and nothing ran.
 */
#include "check.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>

enum { NOBODY = 64322, TRIES = 20 };	/* a user who has no processes: the limit counts them all, and never root's */

static struct upcall_sem word;
static int tid, ran;

static void *wait_for_word(void *arg)
{
	CHECK_IS(upcall_vproc(), -1);
	__atomic_store_n(&tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
	CHECK_IS(upcall_sem_wait(&word), 0);
	return arg;
}

static void *run(void *arg)
{
	__atomic_fetch_add(&ran, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static int create(upcall_t *t, unsigned flags, const char *name, void *(*body)(void *))
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;

	attr.flags = UPCALL_BOUND | flags;
	attr.name = name;
	return upcall_create(t, &attr, body, (void *)7);
}

static void check_kernel_name(const char *wanted)
{
	char path[64], name[32] = "";

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", tid);
	FILE *f = fopen(path, "re");

	CHECK(f && fgets(name, sizeof(name), f));
	fclose(f);
	name[strcspn(name, "\n")] = 0;
	if (strcmp(name, wanted)) {
		dprintf(2, "the kernel thread is called '%s', not '%s'\n", name, wanted);
		_exit(1);
	}
}

static upcall_t started(const char *name)
{
	upcall_t t;

	tid = 0;
	CHECK_IS(create(&t, 0, name, wait_for_word), 0);
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		upcall_sleep(MS);
	return t;
}

static void test_names(void)
{
	upcall_t t = started("a-name");

	check_kernel_name("a-name");
	CHECK_IS(upcall_set_name(t, "another-longer-than-fifteen"), 0);
	check_kernel_name("another-longer-");
	CHECK_IS(upcall_sem_post(&word), 0);
	CHECK(join(t) == (void *)7);
	/* Without one it is called as the program is. */
	t = started(NULL);
	check_kernel_name("bound");
	CHECK_IS(upcall_sem_post(&word), 0);
	CHECK(join(t) == (void *)7);
}

/* Made without a kernel thread to spare, joinable and detached by turns. */
static void test_without_kernel_threads(void)
{
	struct rlimit none = { 1, 1 };
	int made = 0;

	CHECK_IS(setrlimit(RLIMIT_NPROC, &none), 0);
	for (int i = 0; i < TRIES; i++) {
		upcall_t t = NULL;
		int err = create(&t, i % 2 ? UPCALL_DETACHED : 0, "none", run);

		made += !err;
		CHECK(err == 0 || err == -EAGAIN);
		CHECK(!err == (t != NULL));
		if (!err && i % 2 == 0)
			CHECK(join(t) == (void *)7);
	}
	CHECK(made < TRIES);	/* spares may serve the first few */
	upcall_sleep(20 * MS);
	CHECK_IS(__atomic_load_n(&ran, __ATOMIC_SEQ_CST), made);
	CHECK(join(spawn(run, (void *)8)) == (void *)8);	/* all goes on */
}

static void test(void)
{
	if (!test_flags) {
		test_names();
		return;
	}
	if (geteuid() != 0) {
		printf("skip: not root: the limit counts whatever else the user runs\n");
		exit(SKIP);
	}
	/* Before the first thread: it is the calling kernel thread's alone. */
	CHECK_IS(setresuid(NOBODY, NOBODY, NOBODY), 0);
	test_flags = 0;
	CHECK(join(spawn(run, (void *)8)) == (void *)8);
	ran = 0;
	test_without_kernel_threads();
}
