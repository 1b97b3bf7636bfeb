#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# While threads compute and others wait, the monitor has short slices, and nobody else; not with UPCALL_DISABLE=slice.
. "$(dirname "$0")/lib.sh"

"$UPCALL" features | grep -q '^slice  *yes' || { echo "skip: no slices to ask for"; exit 77; }
grep -q '^se.slice ' /proc/self/sched 2>/dev/null || { echo "skip: /proc tells of no slices"; exit 77; }

# The most kernel threads with slices of 0.1 ms that a program with sleepers and computing threads has at a time.
short_ones() {
	local pid n most=0
	env UPCALL_DISABLE="$1" "$UPCALL" run "$BUILD/bench/latency" sleep 2 upcall >/dev/null &
	pid=$!
	while sleep 0.1 && kill -0 $pid 2>/dev/null; do
		n=$(cat /proc/$pid/task/*/sched 2>/dev/null | grep -Ec '^se.slice +: +100000$')
		[ "$n" -le $most ] || most=$n
	done
	wait $pid || fail 'the program failed'
	echo "$most"
}

[ "$(short_ones none)" = 1 ] || fail 'not the monitor alone has short slices'
[ "$(short_ones slice)" = 0 ] || fail 'somebody has short slices in spite of UPCALL_DISABLE'
exit 0
