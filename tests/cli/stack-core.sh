#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ps and stack say of a core file what they said of the process: of gdb's gcore, and of the kernel's.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"
command -v gcore >/dev/null || skip 'no gdb'

compare() {	# core file
	expect 0 "$UPCALL" ps --json --core "$1" "$dir/situation"
	is_silent
	cp "$dir/out" "$dir/ps"
	expect 0 "$UPCALL" stack --json --core "$1" "$dir/situation"
	is_silent
	python3 - "$dir/ps" "$dir/out" <<'PY' || fail "the JSON of $1"
import json, sys
[process] = json.load(open(sys.argv[1]))["processes"]
threads = {t["id"]: t for t in process["threads"]}
assert len(threads) == 313, len(threads)
name = {t["id"]: t["name"] for t in threads.values()}
waits = {t["name"]: t["waits_for"] for t in threads.values() if "waits_for" in t}
assert len(process["deadlocks"]) == 1 and {name[i] for i in process["deadlocks"][0]} == {"circle"}
assert waits["reader"]["symbol"] == "shared_table" and name[waits["reader"]["owner"]] == "writer"
assert waits["sem-waiter"]["symbol"] == "empty_sem"
assert sum(t.get("waits_for", {}).get("symbol") == "crowd_cond" for t in threads.values()) == 300

stacks = json.load(open(sys.argv[2]))["stacks"]
assert sorted(i for s in stacks for i in s["threads"]) == sorted(threads)
for s in stacks:
    functions = [(f["symbol"] or "").split("+")[0] for f in s["frames"]]
    for i in s["threads"]:
        want = {"pipe-reader": "pipe_reader", "sem-waiter": "sem_waiter"}.get(name[i], name[i])
        if threads[i]["start"] == "crowd":
            want = "crowd"
        assert (want if i != 1 else "main") in functions, (name[i], functions, s["problem"])
assert max(len(s["threads"]) for s in stacks) == 300
PY
}

ulimit -c unlimited
# gcore gives up at guard pages that are no mappings of their own.
cd "$dir" || exit 1
situation env UPCALL_DISABLE=guard "$UPCALL" run "$dir/situation" 300 "$dir/lock"
gcore -o "$dir/gcore" $pid >"$dir/out" 2>"$dir/err" || fail 'gcore'
compare "$dir/gcore.$pid"
rm -f "$dir/gcore.$pid"

case $(cat /proc/sys/kernel/core_pattern) in
core) ;;
*) exit 0 ;;	# some service takes them
esac
kill -ABRT $pid
wait $pid 2>/dev/null
core=$(echo core*)
[ -f "$core" ] || exit 0
compare "$core"

expect 1 "$UPCALL" stack --core "$dir/situation" "$dir/situation"
complains 'is not a core file'
expect 1 "$UPCALL" ps --core /nowhere/core "$dir/situation"
complains 'No such file'
exit 0
