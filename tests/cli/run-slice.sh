#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# While threads compute and others wait, the monitor has short slices, and nobody else; not with UPCALL_DISABLE=slice.
. "$(dirname "$0")/lib.sh"

"$UPCALL" features | grep -q '^slice  *yes' || { echo "skip: no slices to ask for"; exit 77; }
grep -q '^se.slice ' /proc/self/sched 2>/dev/null || { echo "skip: /proc tells of no slices"; exit 77; }

# How many kernel threads of a program with sleepers and computing threads have slices of 0.1 ms.
short_ones() {
	local pid n
	env UPCALL_DISABLE="$1" "$UPCALL" run "$BUILD/bench/latency" sleep 1 upcall >/dev/null &
	pid=$!
	sleep 0.7
	n=$(cat /proc/$pid/task/*/sched | grep -Ec '^se.slice +: +100000$')
	wait $pid || fail 'the program failed'
	echo "$n"
}

[ "$(short_ones none)" = 1 ] || fail 'not the monitor alone has short slices'
[ "$(short_ones slice)" = 0 ] || fail 'somebody has short slices in spite of UPCALL_DISABLE'
exit 0
