#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A thread that spins for what another one is to do, which waits for its processor, gives way long before its slice is
# over, with `pause` in its loop or nothing; not with UPCALL_DISABLE=spin, later where the kernel does not read its code.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'

cat >"$dir/spin.c" <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 3 };
static atomic_int turn;
static int turns, before_ms;

static long spent_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_shortly(void)
{
#if defined(NOTHING)
#elif defined(__x86_64__)
	__asm__ volatile("pause");
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Computes for a while, and so is nobody who goes first any more; then hands a number round with the others. */
static void *spins(void *arg)
{
	while (spent_ms(CLOCK_THREAD_CPUTIME_ID) < before_ms)
		for (volatile int i = 0; i < 5000000; i++)
			;
	for (int next = (int)(long)arg; next < turns; next += THREADS) {
		while (atomic_load(&turn) != next)
			wait_shortly();
		atomic_store(&turn, next + 1);
	}
	return NULL;
}

/* Milliseconds of processor time that so many turns took, after so many before. */
int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	if (argc < 3)
		return 2;
	turns = atoi(argv[1]);
	before_ms = atoi(argv[2]);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, spins, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", spent_ms(CLOCK_PROCESS_CPUTIME_ID) - THREADS * before_ms);
	return 0;
}
C
"$compiler" -O2 -pthread "$dir/spin.c" -o "$dir/spin" || fail 'cannot compile'
"$compiler" -O2 -pthread -DNOTHING "$dir/spin.c" -o "$dir/spin-plainly" || fail 'cannot compile'
"$compiler" -o "$dir/refuse" "$(dirname "$0")/refuse.c" || fail 'cannot compile'

# spin SLICE PROGRAM COMMAND...: sixty turns on one processor, by threads that have used up a slice: how often one was found
# spinning, and the milliseconds in which.
spin() {
	slice=$1 program=$dir/$2
	shift 2
	expect 0 "$@" "$UPCALL" run --stats --vprocs=1 --slice="${slice}ms" "$program" 60 $((slice * 3))
	found=$(awk '$1 == "preemptions_spinning" { print $2 }' "$dir/err")
	ms=$(cat "$dir/out")
}

expect 0 "$dir/spin" 3 1
for program in spin spin-plainly; do
	spin 200 $program env
	[ "$found" -ge 10 ] && [ "$ms" -lt 4000 ] || fail "$found found, $ms ms, which would be 12 s in slices of 200 ms"
done
spin 10 spin-plainly env UPCALL_DISABLE=spin
[ "$found" -eq 0 ] || fail "$found found in spite of UPCALL_DISABLE"
"$dir/refuse" 310 true
[ $? -ne 77 ] || exit 0
expect 0 "$dir/refuse" 310 "$UPCALL" features
grep -qE '^spin +no +no +.*by its registers' "$dir/out" || fail 'a refusal is not told'
spin 200 spin "$dir/refuse" 310
[ "$found" -ge 10 ] && [ "$ms" -lt 4000 ] || fail "$found found, $ms ms, where code cannot be read"

# Threads that take, computing, what another one leaves: nobody is always the first behind that one.
cat >"$dir/take.c" <<'C'
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 8 };
static atomic_long items, taken[THREADS];
static atomic_int over;

static void *takes(void *arg)
{
	while (!over)
		if (atomic_exchange(&items, 0))
			atomic_fetch_add((atomic_long *)arg, 1);
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int all;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, takes, &taken[i]);
	do {
		all = 1;
		atomic_fetch_add(&items, 1);
		for (int i = 0; i < THREADS; i++)
			all &= taken[i] > 0;
	} while (!all);
	over = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
C
"$compiler" -O2 -pthread "$dir/take.c" -o "$dir/take" || fail 'cannot compile'
expect 0 sh -c 'ulimit -t 20; exec "$@"' sh "$UPCALL" run --vprocs=1 "$dir/take"
