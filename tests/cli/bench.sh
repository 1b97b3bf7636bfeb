#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upcall bench: what it prints for people and as JSON, what it counts as a failure, what it leaves.
. "$(dirname "$0")/lib.sh"
unset UPCALL_DISABLE
TMPDIR=$dir/tmp
export TMPDIR
mkdir "$TMPDIR" || exit 1

expect 0 "$UPCALL" bench --list
for name in micro/create-join upcalls/fifo pingpong/test-10 myth/table-5 dgux/table-6 psyche/sort psyche/phases scale/10 scale/100000 echo/5000 apps/java apps/mariadb-2000; do
	grep -qx "  $name" "$dir/out" || fail "the list lacks $name"
done
expect 2 "$UPCALL" bench nothing
complains "no benchmark 'nothing'"
expect 2 "$UPCALL" bench micro/nothing
complains "no benchmark 'micro/nothing'"
expect 2 "$UPCALL" bench --runs=0
complains "not '0'"
expect 2 "$UPCALL" bench --runs
complains 'wants a value'

# The table: both systems, a ratio, a machine.
expect 0 "$UPCALL" bench --quick --runs=1 micro/yield
is_silent
grep -qE '^  yield +glibc( +[0-9.,]+){3} +1 +-  ns' "$dir/out" || fail 'no row of glibc'
grep -qE '^ +upcall( +[0-9.,]+){3} +1 +-  ns +[0-9.e-]+ of glibc; at most 30: (held|missed)$' "$dir/out" || fail 'no row with a ratio'
grep -qE '^machine: [0-9]+ of [0-9]+ CPUs.*other processes used [0-9]+ %' "$dir/out" || fail 'no machine'

# Not pinned, a case is measured once, at one place.
expect 0 "$UPCALL" bench --quick --runs=1 --no-pin micro/semaphore
[ "$(grep -cE '^  semaphore' "$dir/out")" -eq 1 ] || fail 'measured twice'
grep -q all-cpus "$dir/out" && fail 'a place is named'

# JSON, and the arithmetic in it.  Under Upcall a thread yields without the kernel.
expect 0 "$UPCALL" bench --quick --runs=3 --json micro/yield micro/lock scale/1000
is_silent
python3 - "$dir/out" <<'PY' || fail 'the JSON'
import json, os, statistics, sys
rows = json.load(open(sys.argv[1]))
keys = {"bench", "case", "system", "unit", "median", "min", "max", "runs", "deviation_percent", "ratio_to", "paper", "bounds", "notes",
        "machine"}
assert all(set(r) == keys for r in rows)
found = {(r["bench"], r["case"], r["system"]): r for r in rows}
cases = [("micro", "yield", "ns"), ("micro", "lock", "ns"), ("scale", "1000 create", "ns"),
         ("scale", "1000 resident", "bytes"), ("scale", "1000 page-tables", "bytes"),
         ("scale", "1000 memory", "bytes"), ("scale", "1000 wake-join", "ns")]
assert len(rows) == len(found) == 2 * 2 + 3 * 5, found.keys()
for bench, case, unit in cases:
    glibc, upcall = found[bench, case, "glibc"], found[bench, case, "upcall"]
    for r in glibc, upcall:
        assert r["unit"] == unit and r["runs"] == 3 and 0 < r["min"] <= r["median"] <= r["max"], r
        three = [r["min"], r["median"], r["max"]]
        percent = 100 * statistics.stdev(three) / statistics.mean(three)
        assert abs(r["deviation_percent"] - percent) <= 1e-3 * percent + 1e-4, (r, percent)
    assert glibc["ratio_to"] == {} and set(upcall["ratio_to"]) == {"glibc"}
    assert upcall["min"] / glibc["max"] * 0.999 <= upcall["ratio_to"]["glibc"] <= \
        upcall["max"] / glibc["min"] * 1.001, (glibc, upcall)
assert found["micro", "yield", "upcall"]["ratio_to"]["glibc"] < 1
machine = rows[0]["machine"]
assert 1 <= machine["cpus"] <= machine["cpus_online"] and machine["kernel"] == os.uname().release
assert isinstance(machine["noisy"], bool)
assert machine["noisy"] == (machine["others_percent"] > 10) or abs(machine["others_percent"] - 10) < 0.1
PY

# The processor it is given is the one it measures on, and the command preloads nothing into glibc's runs.
cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
expect 0 env LD_PRELOAD="$BUILD/src/libupcall-pthread.so" taskset -c "$cpu" \
	"$UPCALL" bench --quick --runs=1 --json micro/contended micro/yield
grep -q all-cpus "$dir/out" && fail 'all of one processor were measured'
python3 - "$dir/out" <<'PY' || fail 'glibc was not glibc'
import json, sys
rows = {(r["case"], r["system"]): r for r in json.load(open(sys.argv[1]))}
assert rows["yield", "upcall"]["ratio_to"]["glibc"] < 1, rows
assert rows["contended least", "upcall"]["ratio_to"] == {}
assert rows["yield", "glibc"]["machine"]["cpus"] == 1
PY
[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"

# A signal ends it, the programs, and the folder.
"$UPCALL" bench micro/contended >"$dir/out" 2>"$dir/err" &
pid=$!
measured=
for _ in $(seq 100); do
	measured=$(pgrep -P $pid) && break
	sleep 0.1
done
kill -TERM $pid
wait $pid
[ $? -eq 143 ] || fail 'another status than 143 after SIGTERM'
complains 'signal 15'
for p in $measured; do
	[ ! -d "/proc/$p" ] || fail "process $p lives on"
done
[ -n "$measured" ] || fail 'nothing was measured'
[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"

# What was measured until then is told.
"$UPCALL" bench --runs=1000 micro/yield >"$dir/out" 2>"$dir/err" &
pid=$!
sleep 5
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail 'another status than 130 after SIGINT'
grep -Eq '^  yield +glibc +[0-9]' "$dir/out" || fail "nothing is told: $(cat "$dir/out")"
grep -q 'of 1000 runs, then a signal came' "$dir/out" || fail "no word of it: $(cat "$dir/out")"
exit 0
