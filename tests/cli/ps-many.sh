#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A hundred thousand parked threads: each is listed, in little time, which grows as their number
# does.  With UPCALL_TEST_THREADS=1000000 in the environment a million (9 GB, under two seconds).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"
threads=${UPCALL_TEST_THREADS-100000}
free_kb=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
[ "$free_kb" -gt $((threads * 12)) ] || skip "$threads threads need $((threads * 12)) KB of memory"

cpu() {	# the CPU time that ps takes, in ms; what it says is in $dir/out
	python3 - "$dir/out" "$UPCALL" ps "$@" <<'PY'
import resource, subprocess, sys
least = None
for _ in range(3):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(sys.argv[1], "w") as out:
        subprocess.run(sys.argv[2:], stdout=out, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    ms = 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    least = ms if least is None else min(least, ms)
print(int(least))
PY
}

many() {	# N
	situation "$UPCALL" run "$dir/situation" "$1" "$dir/lock" quiet
	full=$(cpu "$pid") || fail 'ps'
	[ "$(grep -c 'crowd() *parked .* cond 0x[0-9a-f]* (crowd_cond)$' "$dir/out")" -eq "$1" ] ||
		fail "not $1 threads on the condition"
	says "situation: $(($1 + 11)) threads on"
	summary=$(cpu --state=kernel "$pid") || fail 'ps --state'
	echo "$1 threads: all $full ms of CPU, only those in the kernel $summary ms"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	rm -f "$dir/stdin"
}

many $((threads / 10))
few=$full
many "$threads"
# Two seconds for a million, with room for a slow machine; and no step that is quadratic.
[ "$full" -lt $((threads * 6 / 1000 + 200)) ] || fail "$full ms for $threads threads"
[ "$full" -lt $((few * 10 * 4 + 200)) ] || fail "$few ms for a tenth of them, but $full ms"
exit 0
