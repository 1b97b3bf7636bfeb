#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upcall bench pingpong: the paper's tests with its figures beside ours, and games by its options.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3'

expect 0 "$UPCALL" bench --quick --runs=1 --json --svg="$dir/chart.svg" pingpong/baseline pingpong/test-1 \
	pingpong/test-2 pingpong/test-3 pingpong/test-4 pingpong/test-5 pingpong/test-6 pingpong/test-7
is_silent
python3 - "$dir" <<'X' || fail 'the rows'
import json, sys, xml.etree.ElementTree as tree
dir = sys.argv[1]
rows = {(r["case"], r["system"]): r for r in json.load(open(dir + "/out"))}
refusal = rows.pop(("test-7", "native"))
assert refusal["runs"] == 0 and refusal["notes"] == ["the native API has no locks between processes"], refusal
new, old = "new libthread, 1:1", "old libthread, M:N"
play = {"baseline": {new: 6798}, "test-1": {old: 13881}, "test-2": {old: 90922}, "test-3": {new: 43779},
        "test-4": {old: 59231}, "test-5": {new: 6901}, "test-6": {old: 350930}, "test-7": {old: 75792}}
expected = {(f"{test} {metric}", system) for test in play for metric in ("play", "cpu")
            for system in ("glibc", "upcall", "native") if (test, system) != ("test-7", "native")}
assert rows.keys() == expected, rows.keys() ^ expected
for (case, system), r in rows.items():
    test, metric = case.split()
    assert r["unit"] == "ms" and r["median"] > 0, r
    is_beside = (new in play[test]) == (system == "glibc")
    assert bool(r["paper"]) == is_beside, r
    assert metric == "cpu" or not is_beside or r["paper"] == play[test], r
for (case, system), r in rows.items():
    bars = [(b["at_most"], b["of"], b["held"]) for b in r["bounds"]]
    is_judged = case.endswith(" play") and system != "glibc"
    assert bars == ([(1, "glibc", r["ratio_to"]["glibc"] <= 1)] if is_judged else []), r
# One processor, two threads: under Upcall a lock is handed over without the kernel.
assert rows["test-3 play", "upcall"]["ratio_to"]["glibc"] < 1
texts = [e.text for e in tree.parse(dir + "/chart.svg").iter("{http://www.w3.org/2000/svg}text")]
assert "pingpong test-3 play" in texts, texts
X

# Its options, in any place; what it says with -v is below the table.
expect 0 "$UPCALL" bench --runs=1 -n 3 pingpong -i 200 -z -1 -S 65536 -v
is_silent
for system in glibc upcall native; do
	says "(-n 3 -i 200 -z -1 -S 65536 -v on $system: 6 threads initialised in"
done
says '3 games of 200 strokes completed in'
grep -qE '^  -n 3 -i 200 -z -1 -S 65536 -v start +glibc( +[0-9.,]+){3} +1 +-  ms' "$dir/out" || fail 'no row'
expect 0 "$UPCALL" bench --runs=1 pingpong -i 20 -z 2 -p shared -s system -c 2
says '(-i 20 -z 2 -p shared -s system -c 2 on native: the native API has no locks between processes)'
grep -qE '^ +upcall( +[0-9.,]+){3} +1 +-  ms' "$dir/out" || fail 'no row of upcall'

# Each has its effect: 20 strokes with pauses of 2 ms each; threads that are bound; a stack that is too small.
awk '{ gsub(",", "") } / cpu +glibc / { is_play = 0 } / play +glibc / { is_play = 1 }
	is_play && match($0, / (glibc|upcall) +[0-9.]+/) { split(substr($0, RSTART, RLENGTH), f); n += f[2] >= 40 }
	END { exit n != 2 }' "$dir/out" || fail 'no pauses'
for scope in process system; do
	expect 0 "$UPCALL" run --scope --stats="$dir/stats" -- "$BUILD/bench/pingpong" "-n 3 -i 50 -s $scope" 1 upcall
	awk '$1 == "activations_peak" { print $2 }' "$dir/stats"
done >"$dir/peaks"
awk 'NR == 1 { unbound = $1 } END { exit $1 < 6 || $1 <= unbound }' "$dir/peaks" || fail "not bound: $(cat "$dir/peaks")"
expect 1 "$UPCALL" bench --runs=1 pingpong -i 20 -S 100
grep -q 'on glibc failed (status 1): pingpong: pthread_attr_setstacksize: Invalid argument' "$dir/err" || fail '-S is not taken'

expect 2 "$UPCALL" bench -n 2 micro
complains '-n is an option of pingpong alone'
expect 2 "$UPCALL" bench pingpong -i 0
complains "bad value '0' of -i"
expect 2 "$UPCALL" bench pingpong -p everybody
complains "bad value 'everybody' of -p"
expect 2 "$UPCALL" bench pingpong -S
complains 'wants a value'
exit 0
