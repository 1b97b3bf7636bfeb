#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `upcall top` in batch mode and as JSON: what it says of a known program is so.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"

situation "$UPCALL" run --vprocs=2 "$dir/situation" 300 "$dir/lock"
expect 0 "$UPCALL" stats --json $pid
cp "$dir/out" "$dir/before"
expect 0 "$UPCALL" top --json -n 3 -d 0.5 --threads 400 $pid
is_silent
cp "$dir/out" "$dir/top"
expect 0 "$UPCALL" stats --json $pid
python3 - "$dir/before" "$dir/top" "$dir/out" $pid <<'PY' || fail 'the JSON'
import json, sys
before, after = (json.load(open(sys.argv[i]))["processes"][0] for i in (1, 3))
looks = [json.loads(line) for line in open(sys.argv[2])]
assert len(looks) == 3
assert 0.4 < looks[1]["time"] - looks[0]["time"] < 5, looks
for look in looks:
    [p] = look["processes"]
    assert p["pid"] == int(sys.argv[4]) and p["command"] == "situation"
    assert p["threads_live"] == 313 and sum(p["states"].values()) == 313, p["states"]
    assert p["states"]["kernel"] >= 1 and p["activations_blocked"] >= 1, p     # the one in flock
    assert 0.02 < p["cpu"] < 2.1, p["cpu"]
    assert len(p["vprocs"]) == 2
    rows = {t["id"]: t for t in p["busiest"]}
    assert len(rows) == 313
    # Two threads compute, and nobody else does.
    assert {t["name"] for t in p["busiest"][:2]} == {"computer"}, p["busiest"][:3]
    assert all(t["cpu"] > 0.02 for t in p["busiest"][:2]) and p["busiest"][2]["cpu"] < 0.02
    named = {t["name"]: t for t in rows.values()}
    assert "shared_table" in named["reader"]["waits_for"] and "writer" in named["reader"]["waits_for"]
    for counter in "switches", "parks", "io_waits", "steals", "preemptions", "wakeups":
        assert before[counter] <= p[counter] <= after[counter], (counter, before, p, after)
        assert p[counter] == sum(v[counter] for v in p["vprocs"]), counter
# A rate is what the counter grew by, over the time between.
for a, b in zip(looks, looks[1:]):
    seconds = b["time"] - a["time"]
    for counter in "switches", "preemptions":
        grown = b["processes"][0][counter] - a["processes"][0][counter]
        rate = b["processes"][0][counter + "_per_s"]
        assert abs(rate * seconds - grown) <= 0.2 * grown + 2, (counter, rate, seconds, grown)
PY

expect 0 "$UPCALL" top -b -n 2 -d 0.3 --threads 3 --sort id $pid
[ "$(grep -c '^upcall top ' "$dir/out")" -eq 2 ] || fail 'two looks'
grep -qE "^ +$pid situation +[0-9.]+ +313 " "$dir/out" || fail 'the process'
grep -qE '^ +1 main ' "$dir/out" || fail 'the first thread'
grep -qE ' computer ' "$dir/out" && fail 'three threads were asked for'
expect 0 "$UPCALL" top -b -n 1 -d 0.3 --threads 20 --filter mutex $pid
[ "$(grep -c ' circle  .*circle_lock' "$dir/out")" -eq 3 ] || fail 'the filter'
says 'WAITS FOR [mutex]'
grep -q 'sem-waiter' "$dir/out" && fail 'filtered out'

# A process that ends meanwhile ends it, with one line.
(sleep 1; kill -9 $pid) &
expect 1 "$UPCALL" top -b -d 0.2 $pid
complains "process $pid"
exit 0
