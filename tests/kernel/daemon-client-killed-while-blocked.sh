#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A program that is killed while its threads are blocked ends at once, leaves its place to the next, which is told
# of its own threads only; and nobody else is disturbed.
. "$(dirname "$0")/lib.sh"
start_daemon --processes=2
cd "$dir" || exit 1

timeout 100 taskset -c "$first_cpu" "$UPCALL" run --stats="$dir/stats.1" -- "$helpers/blocks" fifo 4000 >"$dir/out.1" 2>&1 &
bystander=$!
holds() { status | grep -q "processes: $1 of 2"; }
for how in KILL SEGV KILL; do
	rm -f "$dir/held"
	"$UPCALL" run "$helpers/crowd" 40 >"$dir/held" 2>&1 &
	victim=$!
	for _ in $(seq 1200); do	# a busy machine takes its time to start it
		grep -q held "$dir/held" && break
		sleep 0.05
	done
	grep -q held "$dir/held" || fail "not blocked in a minute: $(cat "$dir/held")"
	kill -$how $victim
	wait $victim 2>/dev/null
	[ $? -eq $((128 + $(kill -l $how))) ] || fail "not ended by SIG$how"
done
wait $bystander || fail 'the bystander'
mv "$dir/stats.1" "$dir/stats"
told_by bpf 2000
eventually holds 0
# In the same place, one after the other: what the kernel knew of those who were killed is nobody's.
for _ in 1 2 3; do
	"$helpers/client" follow >"$dir/out" || fail 'follow'
	eventually holds 0
	run 60 "$helpers/blocks" futex 3000 || fail 'who comes next'
	told_by bpf 150
	eventually holds 0
done
kill -0 "$daemon" || fail 'upcalld has died'
exit 0
