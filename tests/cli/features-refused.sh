#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where the kernel says no, as in many containers, the table says so and why.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
"$compiler" -o "$dir/refuse" "$(dirname "$0")/refuse.c" || fail 'cannot compile'

# refused NUMBER FEATURE: its row when that system call is refused.
refused() {
	expect 0 "$dir/refuse" "$1" "$UPCALL" features
	grep -E "^$2 +no +no +.*Operation not permitted" "$dir/out" || fail "$2 in spite of the refusal"
}

"$dir/refuse" 298 true
[ $? -ne 77 ] || skip 'no seccomp'
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null)
case $paranoid in -*|[012]) reason='by a filter of system calls' ;; *) reason="perf_event_paranoid is $paranoid" ;; esac
refused 298 perf | grep -q "perf_event_open: .*$reason" || fail 'no reason'
expect 0 "$dir/refuse" 298 "$UPCALL" features
grep -qE '^monitor +yes +yes' "$dir/out" || fail 'the monitor serves without perf'
refused 425 io_uring | grep -q 'epoll serves' || fail 'what serves instead of io_uring'
refused 324 membarrier | grep -q 'page' || fail 'what serves instead of membarrier'
refused 327 nowait >/dev/null
refused 28 guard | grep -q 'mprotect' || fail 'what serves instead of guard advice'
exit 0
