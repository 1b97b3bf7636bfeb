#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs with sanitizers run without false reports, and what is wrong is reported in full: with
# ThreadSanitizer on plain kernel threads, also as a child; else all are bound.
. "$(dirname "$0")/lib.sh"
cp "$root/tests/cli/adds.c" "$dir/t.c"
# The ninth thread is wrong; nine wait on when the process ends.
cat >"$dir/wrong.c" <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_barrier_t all;
static void *good(void *arg)
{
	return arg;
}
static void *waits(void *arg)
{
	char *volatile known_here = malloc(100);

	pthread_barrier_wait(&all);
	pthread_barrier_wait(&all);
	return known_here + (arg != NULL);
}
static void *wrong(void *arg)
{
	volatile char *p = malloc(10);

	free((void *)p);
	p[3] = 1;
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;

	(void)argv;
	for (int i = 0; i < 8; i++) {
		pthread_create(&t, NULL, good, NULL);
		pthread_join(t, NULL);
	}
	if (argc > 1)
		pthread_create(&t, NULL, wrong, NULL), pthread_join(t, NULL);
	pthread_barrier_init(&all, NULL, 10);
	for (int i = 0; i < 9; i++)
		pthread_create(&t, NULL, waits, NULL);
	pthread_barrier_wait(&all);
	return 0;
}
C
tried=0
for cc in gcc clang; do
	for kind in address leak memory thread; do
		for name in t wrong; do
			$cc -g -fsanitize=$kind "$dir/$name.c" -o "$dir/$name-$kind" -pthread 2>/dev/null &&
				"$dir/$name-$kind" >/dev/null 2>&1 || continue 2
		done
		tried=$((tried + 1))
		for name in t wrong; do
			expect 0 "$UPCALL" run "$dir/$name-$kind"
			[ $kind = thread ] || is_silent
			[ $kind != thread ] || complains 'plain kernel threads: it is built with ThreadSanitizer'
			expect 0 "$UPCALL" run sh -c '"$1" && :' - "$dir/$name-$kind"
		done
		[ $kind != memory ] || expect 0 "$UPCALL" run --vprocs=2 --slice=5ms "$dir/t-$kind"
		[ $kind = address ] || continue
		"$UPCALL" run "$dir/wrong-$kind" 1 >"$dir/out" 2>"$dir/err" && fail "found nothing: $cc"
		grep -q 'heap-use-after-free' "$dir/err" && grep -q 'WRITE of size 1 at .* thread T9' "$dir/err" &&
			grep -q 'freed by thread T9 here' "$dir/err" || fail "an incomplete report: $cc"
	done
done
[ $tried -gt 0 ] || skip "no sanitizers here"
