#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A program that does nothing, or something once a second, wakes up hardly more often on Upcall: the monitor rests.
. "$(dirname "$0")/lib.sh"
: >"$dir/out" >"$dir/err"
compiler=$(command -v cc) || skip 'no C compiler'
"$compiler" -O2 -pthread -o "$dir/idle" "$(dirname "$0")/idle.c" || fail 'cannot compile'

switches() { cat /proc/"$1"/task/*/status | awk '/ctxt_switches/ { n += $2 } END { print n }'; }

# counts KIND COMMAND...: in $counts, of twelve such processes, how often each changed its kernel threads in three seconds.
counts() {
	kind=$1 pids=() before=() counts=()
	shift
	for ((i = 0; i < 12; i++)); do
		"$@" "$dir/idle" "$kind" &
		pids+=($!)
	done
	sleep 2
	for pid in "${pids[@]}"; do before+=("$(switches "$pid")"); done
	sleep 3
	for i in "${!pids[@]}"; do counts+=($(($(switches "${pids[i]}") - before[i]))); done
	kill "${pids[@]}"
	wait "${pids[@]}" 2>/dev/null
}

# at_most N KIND COMMAND...
at_most() {
	most=$1
	shift
	counts "$@"
	for n in "${counts[@]}"; do [ "$n" -le "$most" ] || fail "$n changes of kernel threads, not $most: $* (${counts[*]})"; done
}

counts sleeps env
for n in "${counts[@]}"; do [ "$n" -ge 10 ] || fail "on libc's threads five sleepers change them ${counts[*]} times: this test proves nothing"; done
at_most 30 pauses "$UPCALL" run --
at_most 90 sleeps "$UPCALL" run --
at_most 90 sleeps "$UPCALL" run --vprocs=1 --
# Whether or not perf tells when who has lost its vproc is back.
at_most 90 blocks "$UPCALL" run --
UPCALL_DISABLE=perf at_most 90 blocks "$UPCALL" run --
# Where there can be no timer, who begins to work wakes the monitor.
(ulimit -i 0) 2>/dev/null || exit 0
at_most 90 sleeps bash -c 'ulimit -i 0; exec "$@"' bash "$UPCALL" run --
