#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A thread that is preempted in a loop without a call, as another process takes its processor for long, goes on on
# another one, with all its registers.  Three threads on two vprocs: somebody waits, so each vproc is tied to its
# processor, and it is not the kernel that moves them.
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1

# On a busy machine whoever goes there may wait for its turn; a wrong register is wrong each time.
for try in 1 2 3 4 5 6 7 8; do
	timeout 60 "$UPCALL" run --vprocs=2 -- "$helpers/hogged" 3 >"$dir/out" 2>"$dir/err"
	status=$?
	[ $status -eq 2 ] || break
done
[ $status -ne 77 ] || skip 'this takes two processors, and a real-time policy'
[ $status -eq 0 ] || fail "status $status, at try $try"
