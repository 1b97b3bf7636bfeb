#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# More threads than the process may have descriptors, each blocked in a call that no library wraps: each block is seen,
# without slices, which would end it in the end.  What tells of blocks, and of those who are back, takes few descriptors.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
[ "$(uname -m)" = x86_64 ] || skip 'x86-64 only'

cat >"$dir/blocks.c" <<'C'
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 100, ROUND_MS = 15 /* until the monitor has seen that it blocks */ };
static atomic_int begun;
static atomic_uint may_end;

static void raw_futex(long op, long value)
{
	register long timeout __asm__("r10") = 0;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "0"((long)SYS_futex), "D"(&may_end), "S"(op), "d"(value), "r"(timeout)
			 : "rcx", "r11", "memory");
}

static void *blocks(void *arg)
{
	begun++;
	while (!may_end)
		raw_futex(FUTEX_WAIT_PRIVATE, 0);
	return arg;
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL);
}

int main(void)
{
	pthread_t threads[THREADS];

	alarm(40);
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, blocks, NULL))
			return 2;
		while (begun <= i)
			sleep_ms(1);
		sleep_ms(ROUND_MS);
	}
	may_end = 1;
	raw_futex(FUTEX_WAKE_PRIVATE, INT_MAX);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
C
"$compiler" -O2 -pthread -o "$dir/blocks" "$dir/blocks.c" || fail 'cannot compile'
ulimit -S -n 40 || skip 'no limit of descriptors'
expect 0 "$dir/blocks"
expect 0 "$UPCALL" run --vprocs=1 --slice=off "$dir/blocks"
exit 0
