#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A process with more kernel threads than its page has room for: the others are told of by other means, and nothing hangs.
# Others on the machine are told as before, and it is, too, when it is alone again.
. "$(dirname "$0")/lib.sh"
start_daemon
cd "$dir" || exit 1
crowd=900	# a page has room for 768

"$helpers/client" slots >"$dir/out" || fail 'each slot of a page, and none beyond'
timeout 100 taskset -c "$first_cpu" "$UPCALL" run --stats="$dir/stats.1" -- "$helpers/blocks" fifo 3000 >"$dir/out.1" 2>&1 &
bystander=$!
for _ in 1 2 3; do		# where the machine is busy, upcalld's answer may be too late for it
	run 100 "$helpers/crowd" $crowd 3
	got=$?
	[ $got -ne 0 ] || [ "$(counter upcalls.blocked.bpf)" -gt 0 ] && break
done
[ $got -eq 77 ] && skip "$(tail -n 1 "$dir/out")"
[ $got -eq 0 ] || fail "a crowd: status $got"
[ "$(counter activations_peak)" -gt $crowd ] || fail "$(counter activations_peak) kernel threads: this test proves nothing"
told_by bpf $((2 * crowd))
wait $bystander || fail 'the bystander'
mv "$dir/stats.1" "$dir/stats"
told_by bpf 1500
kill -0 "$daemon" || fail 'upcalld has died'
exit 0
