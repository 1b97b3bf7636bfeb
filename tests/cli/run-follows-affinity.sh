#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A process that began with one CPU is given more, and fewer, while it runs (taskset -a): as many of its kernel
# threads compute as there are CPUs, no matter how many threads it has.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
command -v taskset >/dev/null || skip 'no taskset'
[ "$(nproc)" -ge 2 ] || skip 'one CPU only'

cat >"$dir/compute.c" <<'C'
#include <pthread.h>
#include <unistd.h>
static void *body(void *arg)
{
	for (volatile long n = 0;; n++)
		if (arg && n % 1000000 == 0)
			usleep(1000);
	return arg;
}
int main(void)
{
	pthread_t t;
	for (long i = 0; i < 8; i++)
		pthread_create(&t, 0, body, (void *)(i & 1));
	alarm(60);
	return pthread_join(t, 0);
}
C
"$compiler" -O1 -o "$dir/compute" "$dir/compute.c" -pthread || fail 'cannot compile'

. "$(dirname "$0")/computing.lib"

cpus=$(taskset -cp $$ | sed 's/.*: *//')
some=$(echo "$cpus" | sed 's/[-,].*//')
last=$(echo "$cpus" | sed 's/.*[-,]//')
taskset -c "$some" "$UPCALL" run "$dir/compute" &
pid=$!
trap 'kill $pid; rm -rf "$dir"' EXIT
: >"$dir/out"; : >"$dir/err"

allowed=$(nproc)
[ "$allowed" -gt 6 ] && allowed=6
becomes 1 'the first CPU'
taskset -acp "$cpus" $pid >/dev/null
becomes "$allowed" 'all CPUs'
taskset -acp "$some" $pid >/dev/null
becomes 1 'one CPU'
taskset -acp "$cpus" $pid >/dev/null
becomes "$allowed" 'all CPUs again'
taskset -acp "$last" $pid >/dev/null
becomes 1 'another CPU'
taskset -acp "$cpus" $pid >/dev/null
becomes "$allowed" 'all CPUs at last'
exit 0
