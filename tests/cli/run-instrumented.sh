#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs with sanitizers run: with AddressSanitizer on user-level threads, with ThreadSanitizer on
# plain ones, and without false reports.  Under valgrind all threads are bound.
. "$(dirname "$0")/lib.sh"
cat >"$dir/t.c" <<'C'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *add(void *arg)
{
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&m);
		n++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}
int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return n != 2000;
}
C
tried=0
for kind in address thread; do
	${CC:-cc} -fsanitize=$kind "$dir/t.c" -o "$dir/t-$kind" -pthread 2>/dev/null && "$dir/t-$kind" 2>/dev/null ||
		continue
	tried=$((tried + 1))
	expect 0 "$UPCALL" run "$dir/t-$kind"
	[ $kind = address ] || complains ThreadSanitizer
done
if command -v valgrind >/dev/null && ${CC:-cc} "$dir/t.c" -o "$dir/t" -pthread; then
	tried=$((tried + 1))
	expect 0 "$UPCALL" run valgrind -q --error-exitcode=9 "$dir/t"
fi
[ $tried -gt 0 ] || { echo "skip: neither sanitizers nor valgrind here"; exit 77; }
