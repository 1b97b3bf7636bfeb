#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A thousand threads that sleep, in nanosleep, clock_nanosleep, a condition's timed wait and others, hold no kernel
# threads.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
here=$(cd "$(dirname "$0")" && pwd)
"$compiler" -O2 -pthread "$here/sleepers.c" -o "$dir/sleepers" || fail 'cannot compile'

peak() {
	awk '$1 == "activations_peak" { print $2 }' "$dir/err"
}

at_once() {
	sed -n 's/^kernel threads //p' "$dir/out"
}

# Few while they sleep, whichever way they do; and without perf, where the monitor tells who blocks.  What they meet before,
# as they are made, are blocks in page faults beside the maker's calls: of a thousand, up to 60 at once were seen.
sleep_well() {	# COMMAND...
	expect 0 "$@"
	[ "$(peak)" -lt 150 ] || fail "$(peak) kernel threads: $*"
	[ "$(at_once)" -lt 50 ] || fail "$(at_once) kernel threads at once: $*"
	[ "$(awk '$1 == "threads" { print $2 }' "$dir/err")" -eq 1001 ] || fail "not a thousand threads: $*"
}

"$dir/sleepers" all >"$dir/out" 2>"$dir/err"
case $? in
0) ;;
3) skip 'this machine does not allow a thousand threads' ;;
*) fail 'on glibc' ;;
esac
[ "$(at_once)" -gt 1000 ] || fail 'on glibc they hold none: this test proves nothing'
for way in nanosleep clock_nanosleep cond all; do
	sleep_well env UPCALL_DISABLE=bind "$UPCALL" run --stats --vprocs=2 "$dir/sleepers" $way
done
sleep_well "$UPCALL" run --stats --vprocs=2 "$dir/sleepers" all
sleep_well env UPCALL_DISABLE=perf "$UPCALL" run --stats --vprocs=2 "$dir/sleepers" all
sleep_well "$UPCALL" run --stats --vprocs=1 "$dir/sleepers" all
exit 0
