#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `upcall ps` says of each thread of a known program what it waits for, and who holds it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"

situation "$UPCALL" run "$dir/situation" 10000 "$dir/lock"
expect 0 "$UPCALL" ps --json $pid
python3 - "$dir/out" $pid "$dir" <<'PY' || fail 'the JSON'
import json, sys
[process] = json.load(open(sys.argv[1]))["processes"]
assert process["pid"] == int(sys.argv[2]), process["pid"]
threads = process["threads"]
assert len(threads) == 10013, len(threads)
assert len({t["id"] for t in threads}) == 10013

def named(name):
    found = [t for t in threads if t["name"] == name]
    assert len(found) == 1, (name, found)
    return found[0]

def wait(t, **wanted):
    for key, value in wanted.items():
        assert t["waits_for"][key] == value, (t, key, value)

# Three mutexes in a circle, in this order.
circle = [t for t in threads if t["name"] == "circle"]
assert len(circle) == 3
symbols = ["circle_lock", "circle_lock+0x28", "circle_lock+0x50"]
by_symbol = {t["waits_for"]["symbol"]: t for t in circle}
assert sorted(by_symbol) == symbols, by_symbol
for t in circle:
    assert t["state"] == "parked"
    wait(t, kind="mutex")
    assert t["waits_for"]["owner"] in {c["id"] for c in circle} - {t["id"]}
[loop] = process["deadlocks"]
assert sorted(loop) == sorted(c["id"] for c in circle), loop
owner = {c["id"]: c["waits_for"]["owner"] for c in circle}
assert owner[loop[0]] == loop[1] and owner[loop[1]] == loop[2] and owner[loop[2]] == loop[0]

wait(named("reader"), kind="rwlock", symbol="shared_table", owner=named("writer")["id"])
wait(named("joiner"), kind="join", owner=named("sleeper")["id"])
wait(named("sem-waiter"), kind="sem", symbol="empty_sem")
for name in "sleeper", "writer":        # the last one beside nothing else may sleep in the kernel
    w = named(name)["waits_for"]
    assert w["kind"] == "sleep" and 86300e9 < w["left_ns"] < 86400e9 or w["call"] == "clock_nanosleep", w

locker = named("locker")
assert locker["state"] == "kernel" and locker["kernel_tid"], locker
wait(locker, kind="kernel", call="flock", fd_is=sys.argv[3] + "/lock")
reader = named("pipe-reader")["waits_for"]
assert reader["kind"] == "io" and reader["for"] == "read" or reader["call"] in ("read", "readv"), reader
assert reader["fd_is"].startswith("pipe:["), reader

crowd = [t for t in threads if t["start"] == "crowd"]
assert len(crowd) == 10000
for t in crowd:
    assert t["state"] == "parked" and 0 < t["stack_used_bytes"] < t["stack_bytes"], t
    wait(t, kind="cond", symbol="crowd_cond")
for t in [t for t in threads if t["name"] == "computer"]:
    assert t["state"] in ("running", "ready") and t["cpu_ns"] > 20e6, t

roles = [k["role"] for k in process["kernel_threads"]]
assert "running" in roles and roles.count("monitor") == 1 and "foreign" not in roles, roles
assert [k["role"] for k in process["kernel_threads"] if k["tid"] == locker["kernel_tid"]] == ["blocked"]
PY

expect 0 "$UPCALL" ps $pid
is_silent
grep -qE '^deadlock: [0-9]+ circle waits for mutex 0x[0-9a-f]+ \(circle_lock' "$dir/out" || fail 'the deadlock'
grep -qE 'reader +parked .* rwlock .*\(shared_table\), held by [0-9]+ writer$' "$dir/out" || fail 'the reader'

# Filters and orders.
expect 0 "$UPCALL" ps --state=kernel $pid
grep -q ' locker ' "$dir/out" || fail 'the locker is in the kernel'
grep -q 'crowd_cond' "$dir/out" && fail 'parked threads are not asked for'
expect 0 "$UPCALL" ps --sort=cpu $pid
sed -n 3p "$dir/out" | grep -qE ' (computer|main) ' || fail 'the one that computes comes first'

# All processes: this one is among them.
"$UPCALL" ps -a >"$dir/out" 2>"$dir/err"	# others may be none of ours to look at
grep -q "^$pid situation: 10013 threads" "$dir/out" || fail 'the process is not listed'

# The process was not stopped, and nobody was woken.
kill -0 $pid || fail 'the program ended'
exit 0
