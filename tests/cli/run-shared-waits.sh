#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A thousand threads that wait for process-shared objects hold few kernel threads, where the kernel can
# wait in their place; where it cannot, they pass all the same.  So do waits with other signal masks, and
# a thousand threads in sigwait.
. "$(dirname "$0")/lib.sh"
program=$BUILD/tests/posix/pshared-many-waiters
lockers=$BUILD/tests/posix/pshared-many-lockers-and-limits	# mutexes, a named semaphore, limits
for needed in "$program" "$lockers"; do
	[ -x "$needed" ] || fail "$needed is not built"
done

peak() {
	awk '$1 == "activations_peak" { print $2 }' "$dir/err"
}

expect 0 "$UPCALL" run --stats "$BUILD/tests/posix/ppoll-many-with-masks"
[ "$(peak)" -lt 50 ] || fail "$(peak) kernel threads in ppoll and the like"
for test in process-signals-to-many directed-to-many; do
	expect 0 "$UPCALL" run --stats "$BUILD/tests/posix/sigwait-$test"
	[ "$(peak)" -lt 20 ] || fail "$(peak) kernel threads in sigwait"
done
for test in "$program" "$lockers"; do
	expect 0 env UPCALL_DISABLE=io_uring "$UPCALL" run --stats "$test"
	[ "$(peak)" -gt 100 ] || fail 'without io_uring nothing is held: this test proves nothing'
done
"$UPCALL" features >"$dir/out"
grep -qE '^io_uring +yes +yes' "$dir/out" || skip 'no io_uring that waits for futexes'
expect 0 "$UPCALL" run --stats "$program"
[ "$(peak)" -lt 50 ] || fail "$(peak) kernel threads"
# Each way to wait there has 26 threads at least.
expect 0 "$UPCALL" run --stats "$lockers"
[ "$(peak)" -lt 25 ] || fail "$(peak) kernel threads for mutexes, a named semaphore, and limits"
exit 0
