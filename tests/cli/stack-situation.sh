#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `upcall stack` shows where each thread of a known program is.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"

situation "$UPCALL" run --vprocs=1 "$dir/situation" 2000 "$dir/lock"
expect 0 "$UPCALL" ps --json $pid
cp "$dir/out" "$dir/ps"
# Two threads compute on one vproc, so one of them is preempted, unless each is seen in its turn.
for _ in $(seq 30); do
	expect 0 "$UPCALL" stack --json $pid
	is_silent
	grep -q '"arch_sigreturn' "$dir/out" && break
done
grep -q '"arch_sigreturn' "$dir/out" || fail 'no thread was seen preempted'
python3 - "$dir/ps" "$dir/out" <<'PY' || fail 'the JSON'
import json, sys
names = {t["id"]: t["name"] if t["start"] != "crowd" else "crowd"
         for t in json.load(open(sys.argv[1]))["processes"][0]["threads"]}
stacks = json.load(open(sys.argv[2]))["stacks"]
assert sorted(i for s in stacks for i in s["threads"]) == sorted(names)

def functions(stack):
    return [(f["symbol"] or "").split("+")[0] for f in stack["frames"]]

def of(name):
    return [s for s in stacks if name in {names[i] for i in s["threads"]}]

# A thread that is preempted is seen through its signal frame; each stack is whole.
for name, function in [("circle", "circle"), ("reader", "reader"), ("writer", "writer"),
                       ("locker", "locker"), ("sleeper", "sleeper"), ("pipe-reader", "pipe_reader"),
                       ("joiner", "joiner"), ("sem-waiter", "sem_waiter"), ("computer", "computer"),
                       ("crowd", "in_the_crowd")]:
    for s in of(name):
        assert function in functions(s), (name, functions(s), s["problem"])
        assert functions(s)[-1] == "arch_context_start" and s["problem"] is None, (name, s)
[crowd] = of("crowd")
assert len(crowd["threads"]) == 2000, len(crowd["threads"])
assert functions(crowd).index("in_the_crowd") < functions(crowd).index("crowd")
[main] = [s for s in stacks if 1 in s["threads"]]
assert "main" in functions(main)
PY

expect 0 "$UPCALL" stack $pid
grep -q '^2000 threads: ' "$dir/out" || fail 'equal stacks are not counted'
one=$(sed -n 's/.*{"id": \([0-9]*\), "name": "locker".*/\1/p' "$dir/ps")
expect 0 "$UPCALL" stack $pid "$one"
[ "$(grep -c '^[0-9]* thread' "$dir/out")" -eq 1 ] || fail 'one thread was asked for'
grep -q ' flock' "$dir/out" || fail 'the locker is in flock'
expect 1 "$UPCALL" stack $pid 999999
complains 'there is no thread 999999'
kill -0 $pid || fail 'the program ended'
exit 0
