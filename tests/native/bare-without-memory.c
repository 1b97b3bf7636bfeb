// SPDX-License-Identifier: BSD-2-Clause
// There is no memory for the TLS blocks that threads without one run on: who makes them tries again, but not all the time.
#include "check.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

enum { BLOCKERS = 8, MOST = 300 };		/* ms of CPU time */
static __thread volatile char much[20000];	/* in each block */
static struct upcall_mutex gate;
static void *volatile last;			/* else the compiler takes it for granted that there is memory */

/* As a call that nobody wraps. */
static void raw_sleep(unsigned ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000 * 1000 };
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_nanosleep), "D"(&t), "S"(0L) : "rcx", "r11", "memory");
}

static void *block(void *arg)
{
	CHECK_IS(upcall_mutex_lock(&gate), 0);
	CHECK_IS(upcall_mutex_unlock(&gate), 0);
	raw_sleep(2500);
	return arg;
}

static void *block_early(void *arg)
{
	raw_sleep(200);
	return arg;
}

static void create_all(upcall_t *t, unsigned flags, void *(*body)(void *))
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;

	attr.flags = flags;
	for (int i = 0; i < BLOCKERS; i++)
		CHECK_IS(upcall_create(&t[i], &attr, body, NULL), 0);
}

static void join_all(const upcall_t *t)
{
	for (int i = 0; i < BLOCKERS; i++)
		CHECK_IS(upcall_join(t[i], NULL), 0);
}

static uint64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / MS;
}

/* Returns what the limit was. */
static struct rlimit use_up_memory(void)
{
	struct rlimit before, none;

	CHECK_IS(getrlimit(RLIMIT_AS, &before), 0);
	none = before;
	none.rlim_cur = 0;
	CHECK_IS(setrlimit(RLIMIT_AS, &none), 0);
	for (size_t n = 65536; n >= 16; n /= 2)
		while ((last = malloc(n)))
			;
	return before;
}

static void test(void)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;
	upcall_t bare[BLOCKERS], early[BLOCKERS];

	if (!test_flags)
		return;
	much[0] = 1;
	CHECK_IS(upcall_init(&options), 0);
	CHECK_IS(upcall_mutex_lock(&gate), 0);
	create_all(bare, test_flags, block);
	upcall_sleep(20 * MS);
	create_all(early, 0, block_early);	/* so there are kernel threads enough */
	join_all(early);
	struct rlimit before = use_up_memory();

	CHECK_IS(upcall_mutex_unlock(&gate), 0);
	upcall_sleep(300 * MS);
	uint64_t used = cpu_ms();

	upcall_sleep(1200 * MS);
	used = cpu_ms() - used;
	CHECK_IS(setrlimit(RLIMIT_AS, &before), 0);
	join_all(bare);
	if (used > MOST)
		dprintf(2, "%u ms of CPU time in 1200\n", (unsigned)used);
	CHECK(used <= MOST);
}
