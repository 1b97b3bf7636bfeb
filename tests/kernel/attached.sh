#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A kernel thread that asks for perf's events gets them, however soon they come: each time it is told of its losses.
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1

"$UPCALL" features | grep -q '^perf .*yes' || skip "no perf"

is_told() {	# PID
	"$UPCALL" stats "$1" 2>/dev/null |
		awk '$1 == "upcalls.preempted.perf" && $2 > 0 { found = 1 } END { exit !found }'
}

for _ in $(seq 40); do
	UPCALL_SOURCE=perf taskset -c "$first_cpu" "$UPCALL" run "$helpers/computes" 15000 hog >"$dir/out" 2>"$dir/err" &
	pid=$!
	eventually is_told "$pid"
	kill "$pid"
	wait "$pid" 2>/dev/null
done
exit 0
