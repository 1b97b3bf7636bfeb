#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# --policy decides, also where a program says something else; pthread programs run under each.
. "$(dirname "$0")/lib.sh"
native=$BUILD/tests/native
pthreads=$BUILD/tests/posix

expect 0 timeout 30 "$UPCALL" run --policy=fifo "$native/policy-fifo"
expect 1 timeout 30 "$UPCALL" run --policy=stealing "$native/policy-fifo"
grep -q '^ran ' "$dir/err" || fail 'the program had its way'
expect 0 timeout 30 "$UPCALL" run --policy=priority "$native/policy-inherit"
for policy in stealing fifo priority; do
	expect 0 timeout 30 "$UPCALL" run --policy=$policy "$native/nopreempt"
	for program in pthread_create-deep-chain pthread_cond_broadcast-wakes-all pthread_barrier_wait-one-serial-thread; do
		[ -x "$pthreads/$program" ] || fail "no $program"
		expect 0 timeout 30 "$UPCALL" run --policy=$policy "$pthreads/$program"
	done
done
exit 0
