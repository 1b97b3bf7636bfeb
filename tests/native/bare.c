// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads without a TLS block: the child runs first; libc works on them; a deep tree is walked, in memory for its
 * depth and not for its breadth; many that block in the kernel at once leave no vproc without a block to run the others on; those that do nothing but
 * lock take turns; stacks that are passed on are nobody else's.
 */
#include <stdatomic.h>
#include <upcall/stats.h>

#include "check.h"

enum { BLOCKERS = 60, LEAVES = 200 };

static int ran, pipe_ends[2];

static upcall_t bare(void *(*fn)(void *), void *arg)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t;

	attr.flags = UPCALL_NO_TLS;
	CHECK_IS(upcall_create(&t, &attr, fn, arg), 0);
	return t;
}

static void *note(void *arg)
{
	ran = (int)(long)arg;
	return NULL;
}

static void test_child_first(void)
{
	for (int i = 1; i <= 100; i++) {
		upcall_t t = bare(note, (void *)(long)i);

		if (upcall_vprocs() == 1)
			CHECK_IS(ran, i);
		join(t);
		CHECK_IS(ran, i);
	}
}

static void *use_libc(void *arg)
{
	char text[64], *copy;

	snprintf(text, sizeof(text), "%.3f %s", (double)(long)arg / 2, "text");
	copy = strdup(text);
	upcall_yield();
	CHECK(strcmp(copy, text) == 0);
	free(copy);
	CHECK(strtod(text, NULL) == (double)(long)arg / 2);
	return NULL;
}

static void test_libc(void)
{
	upcall_t t[LEAVES];

	for (long i = 0; i < LEAVES; i++)
		t[i] = bare(use_libc, (void *)i);
	for (int i = 0; i < LEAVES; i++)
		join(t[i]);
}

static void *fib(void *arg)
{
	long n = (long)arg;

	if (n < 2)
		return arg;
	upcall_t t = bare(fib, (void *)(n - 1));
	long two = (long)fib((void *)(n - 2));

	return (void *)((long)join(t) + two);
}

/* The most that ever was resident. */
static long peak_kb(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmHWM:", 6))
			kb = strtol(line + 6, NULL, 10);
	fclose(file);
	return kb;
}

/* Breadth first, all its 28,656 threads would be there at a time, with a page of stack each: 112 MB. */
static void *walk_deep_tree(void *arg)
{
	long before = peak_kb();

	CHECK_IS((long)join(bare(fib, (void *)22)), 17711);
	CHECK(before > 0);
	CHECK(peak_kb() - before < 16 << 10);
	return arg;
}

static void *block(void *arg)
{
	char c;

	(void)arg;
	CHECK_IS(read(pipe_ends[0], &c, 1), 1);		/* libc's: the kernel thread blocks */
	return NULL;
}

static void *unblock(void *arg)
{
	for (int i = 0; i < (int)(long)arg; i++) {
		CHECK_IS(write(pipe_ends[1], "x", 1), 1);
		upcall_sleep(MS / 10);
	}
	return NULL;
}

static void test_many_block(void)
{
	upcall_t t[BLOCKERS], last;

	for (int i = 0; i < BLOCKERS; i++)
		t[i] = bare(block, NULL);
	last = bare(unblock, (void *)BLOCKERS);
	join(last);
	for (int i = 0; i < BLOCKERS; i++)
		join(t[i]);
}

enum { LOCKERS = 5 };

static struct upcall_mutex mutex;
static atomic_ulong locked[LOCKERS];
static atomic_bool is_over;

static void *lock_often(void *arg)
{
	while (!is_over) {
		CHECK_IS(upcall_mutex_lock(&mutex), 0);
		locked[(long)arg]++;
		CHECK_IS(upcall_mutex_unlock(&mutex), 0);
	}
	return NULL;
}

/* They never wait, and nothing but their calls can take the processor from them: at a lock, when their slice is over. */
static void test_lockers_take_turns(void)
{
	upcall_t t[LOCKERS];
	unsigned long had = 0;

	for (long i = 0; i < LOCKERS; i++)
		t[i] = bare(lock_often, (void *)i);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < LOCKERS; i++)
			for (had = locked[i]; locked[i] == had;)
				upcall_sleep(MS);
	is_over = true;
	for (int i = 0; i < LOCKERS; i++)
		join(t[i]);
}

static struct upcall_event go;

/* Its frames are its own, from beginning to end, and where it is said to have its stack, with a guard below. */
static void *fill_stack(void *arg)
{
	volatile unsigned char bytes[1000];
	struct upcall_thread_info info = { .size = sizeof(info) };

	CHECK_IS(upcall_thread_info(0, &info), 0);
	CHECK((char *)bytes >= (char *)info.stack && (char *)(bytes + sizeof(bytes)) <= (char *)info.stack + info.stack_bytes);
	CHECK(write(pipe_ends[1], (char *)((uintptr_t)info.stack & ~(uintptr_t)4095) - 1, 1) < 0 && errno == EFAULT);
	memset((void *)bytes, (int)(long)arg, sizeof(bytes));
	if ((long)arg % 3 == 0)
		upcall_event_wait(&go);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		CHECK_IS(bytes[i], (unsigned char)(long)arg);
	return arg;
}

/* Some wait while others end that are joined later, each round in another order. */
static void test_stacks(void)
{
	upcall_t t[LEAVES];

	for (int round = 0; round < 6; round++) {
		upcall_event_reset(&go);
		for (long i = 0; i < LEAVES; i++)
			t[i] = bare(fill_stack, (void *)(i + round));
		upcall_event_set(&go);
		for (int i = 0; i < LEAVES; i++) {
			int k = round % 2 ? LEAVES - 1 - i : i;

			CHECK_IS((long)join(t[k]), k + round);
		}
	}
}

static void *from_below(void *arg)
{
	(void)arg;
	test_child_first();
	CHECK_IS((long)join(bare(fib, (void *)18)), 2584);
	return NULL;
}

static void *fork_here(void *arg)
{
	int status;
	pid_t child = fork();

	(void)arg;
	if (child == 0)
		_exit((long)join(bare(fib, (void *)10)) == 55 ? 0 : 1);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_IS(status, 0);
	return NULL;
}

static void test(void)
{
	CHECK_IS(pipe(pipe_ends), 0);
	test_child_first();
	test_libc();
	test_stacks();
	join(spawn(from_below, NULL));
	join(spawn(walk_deep_tree, NULL));
	test_many_block();
	test_lockers_take_turns();
	join(bare(fork_here, NULL));
}
