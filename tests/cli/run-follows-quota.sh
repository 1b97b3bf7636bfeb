#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The CPU quota of the control group changes while a program runs: so does the number of its kernel
# threads that compute.  The kernel's own files are covered by ours, as in features-quota.
. "$(dirname "$0")/lib.sh"
unshare -m true 2>/dev/null || skip 'no private mount namespace'
compiler=$(command -v cc) || skip 'no C compiler'
[ "$(nproc)" -ge 2 ] || skip 'one CPU only'

cat >"$dir/compute.c" <<'C'
#include <pthread.h>
#include <unistd.h>
static void *body(void *arg) { for (volatile long n = 0;; n++) ; return arg; }
int main(void)
{
	pthread_t t;
	for (int i = 0; i < 6; i++)
		pthread_create(&t, 0, body, 0);
	alarm(60);
	return pthread_join(t, 0);
}
C
"$compiler" -O1 -o "$dir/compute" "$dir/compute.c" -pthread || fail 'cannot compile'
: >"$dir/out"; : >"$dir/err"
mkdir -p "$dir/group/a"
echo 0::/a >"$dir/cgroup"
echo "20 1 0:5 / /proc rw - proc proc rw
30 20 0:26 / $dir/group rw - cgroup2 cgroup2 rw" >"$dir/mountinfo"
echo '50000 100000' >"$dir/group/a/cpu.max"
unshare -m sh -c 'mount --bind "$1/cgroup" /proc/$$/cgroup &&
	mount --bind "$1/mountinfo" /proc/$$/mountinfo && exec "$2" run "$1/compute"' sh "$dir" "$UPCALL" &
pid=$!
trap 'kill $pid; rm -rf "$dir"' EXIT

. "$(dirname "$0")/computing.lib"
becomes 1 'half a processor'
echo '200000 100000' >"$dir/group/a/cpu.max"
becomes 2 'a quota of two'
echo '50000 100000' >"$dir/group/a/cpu.max"
becomes 1 'half a processor again'
echo 'max 100000' >"$dir/group/a/cpu.max"
allowed=$(nproc)
becomes $((allowed < 6 ? allowed : 6)) 'no quota'
exit 0
