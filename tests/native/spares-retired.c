// SPDX-License-Identifier: BSD-2-Clause
/*
 * Many threads block in the kernel at once, and each has a kernel thread for that; when they are back, all but a stated
 * number of kernel threads end (doc/design.md), and the next such burst has its own again.
 */
#include "check.h"

#include <dirent.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <upcall/stats.h>

enum { BURST = 60, SPARES_MAX = 16, HELPERS = 3, PATIENCE_S = 12 };

static atomic_uint word, blocked;

/* As a call that nobody wraps. */
static void raw_futex(int op, long n)
{
	long ret;
	register long r10 __asm__("r10") = 0;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_futex), "D"(&word), "S"((long)op), "d"(n), "r"(r10)
			 : "rcx", "r11", "memory");
}

static void *block(void *arg)
{
	blocked++;
	while (!word)
		raw_futex(FUTEX_WAIT_PRIVATE, 0);
	return arg;
}

static void release(void)
{
	word = 1;
	raw_futex(FUTEX_WAKE_PRIVATE, BURST);
}

static unsigned activations(void)
{
	struct upcall_stats s = { .size = sizeof(s) };

	CHECK_IS(upcall_stats(&s), 0);
	return (unsigned)s.activations;
}

static unsigned kernel_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned n = 0;

	CHECK(d);
	for (struct dirent *e; (e = readdir(d)); )
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void burst(void)
{
	upcall_t t[BURST];
	uint64_t end = upcall_after(PATIENCE_S * 1000 * MS);

	word = blocked = 0;
	for (int i = 0; i < BURST; i++)
		t[i] = spawn(block, NULL);
	for (; blocked < BURST || activations() < BURST; upcall_sleep(MS))
		CHECK(upcall_now() < end);
	CHECK(kernel_threads() >= BURST);
	release();
	for (int i = 0; i < BURST; i++)
		join(t[i]);
}

/* For each vproc its owner, its own spare and one more, and SPARES_MAX; and the monitor, the clerk, and one for signals while all wait. */
static void await_few(void)
{
	unsigned most = 3 * upcall_vprocs() + SPARES_MAX;
	uint64_t end = upcall_after(PATIENCE_S * 1000 * MS);

	for (; activations() > most || kernel_threads() > most + HELPERS; upcall_sleep(5 * MS))
		if (upcall_now() > end) {
			dprintf(2, "%u activations, %u kernel threads, not %u\n", activations(), kernel_threads(), most);
			_exit(1);
		}
}

static void test(void)
{
	alarm(55);
	for (int i = 0; i < 2; i++) {
		burst();
		await_few();
	}
}
