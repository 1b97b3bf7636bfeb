#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program that is linked with libupcall.so is seen by ps, stack, top, stats, trace and gdb: by
# itself, and under `upcall run`, where it has another library in use.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"

"$compiler" -O2 -g -fno-optimize-sibling-calls -Wno-cast-function-type -o "$dir/waits" -I"$root/include" "$here/native-waits.c" \
	-L"$BUILD/src" -Wl,-rpath,"$BUILD/src" -lupcall || fail 'cannot compile'

check() {	# HOW
	python3 - "$dir" <<'PY' || fail "what is said of the program $1"
import json, re, sys
where = sys.argv[1]
[process] = json.load(open(where + "/ps.json"))["processes"]
empty, full, pipe = re.search(r"channels (0x\w+) (0x\w+) pipe (\d+)", open(where + "/ready").read()).groups()
by_name = {}
for t in process["threads"]:
    by_name.setdefault("main" if t["id"] == 1 else t["name"], []).append(t)
one = {n: t[0] for n, t in by_name.items() if len(t) == 1}

def waits(name, **wanted):
    for t in by_name[name]:
        for key, value in wanted.items():
            assert t["waits_for"].get(key) == value, (name, key, value, t)

waits("locker", kind="mutex", symbol="held", owner=one["holder"]["id"])
waits("bare", kind="mutex", symbol="held", owner=one["holder"]["id"])
waits("writer", kind="rwlock", symbol="read_table", owner=None, readers=2)
waits("reader", kind="rwlock", symbol="written_table", owner=one["holder"]["id"], readers=None)
waits("on-event", kind="event", symbol="event")
waits("on-latch", kind="latch", symbol="latch")
assert 4e12 < one["on-latch"]["waits_for"]["left_ns"] < 5e12
waits("on-sem", kind="sem", symbol="sem")
waits("on-barrier", kind="barrier", symbol="barrier")
waits("on-cond", kind="cond", symbol="condition")
waits("parked", kind="park", object=None)
waits("joiner", kind="join", owner=one["holder"]["id"])
waits("sender", kind="channel send", object=full)
waits("receiver", kind="channel receive", object=empty)
waits("pipe-reader", kind="io", fd=int(pipe))
waits("holder", kind="sleep")
circle = [t["id"] for t in by_name["circle"]]
assert [sorted(d) for d in process["deadlocks"]] == [circle], process["deadlocks"]
assert one["bound"]["state"] == "bound" and one["bound"]["time_ns"] > 0 and one["bound"]["cpu_ns"] is not None
waits("bound", call="pause", kernel_state="S")

stacks = json.load(open(where + "/stack.json"))["stacks"]
functions = {i: [(f["symbol"] or "?").split("+")[0] for f in s["frames"]] for s in stacks for i in s["threads"]}
for name in one.keys() - {"main", "ping", "pong", "bare", "upcall-blocks"}:
    assert name.replace("-", "_") in functions[one[name]["id"]], (name, functions[one[name]["id"]])
assert "locker" in functions[one["bare"]["id"]] and "main" in functions[1]

[counts] = json.load(open(where + "/stats.json"))["processes"]
assert counts["threads_live"] > 20 and counts["switches"] > 0, counts
[seen] = json.loads(open(where + "/top.json").read().splitlines()[-1])["processes"]
assert sum(seen["states"].values()) == len(process["threads"]), seen
PY
}

traced() {	# HOW ARGUMENTS...: of upcall trace
	how=$1
	shift
	expect 0 "$UPCALL" trace -o "$dir/trace.json" "$@"
	grep -q '"kind":"channel receive"' "$dir/trace.json" || fail "the trace $how: no wait on a channel"
	grep -q '"pong"' "$dir/trace.json" || fail "the trace $how: no thread's name"
}

seen() {	# HOW COMMAND...
	how=$1
	shift
	rm -f "$dir/stdin" "$dir/ready"		# of the program before
	mkfifo "$dir/stdin" || fail 'no FIFO'
	"$@" <"$dir/stdin" >"$dir/ready" 2>"$dir/err" &
	pid=$!
	exec 9>"$dir/stdin"
	trap 'kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$dir"' EXIT
	until_ready "$dir/ready"
	for tool in ps stack stats; do
		expect 0 "$UPCALL" $tool --json $pid
		is_silent
		cp "$dir/out" "$dir/$tool.json"
	done
	expect 0 "$UPCALL" top --json --count=2 --delay=0.2 $pid
	cp "$dir/out" "$dir/top.json"
	check "$how"
	[ "$how" = 'by itself' ] || grep -q libupcall-pthread "/proc/$pid/maps" || fail 'it is not under upcall run'
	[ "$how" != 'by itself' ] || ! grep -q libupcall-pthread "/proc/$pid/maps" || fail 'it is under upcall run'
	"$UPCALL" ps >"$dir/out" 2>"$dir/err"		# other processes of this user may be ending
	says "$pid waits: "
	traced "of the program $how" --seconds=0.3 -p $pid
	if command -v gdb >/dev/null && gdb -nx -batch -ex 'python print("yes")' 2>/dev/null | grep -q yes; then
		timeout 50 gdb -q -nx -batch -iex 'set debuginfod enabled off' \
			-iex "add-auto-load-safe-path $BUILD" -p $pid -ex 'info upcall threads' \
			-ex 'upcall apply all bt' >"$dir/out" 2>"$dir/err"
		grep -qE ' locker +parked .*mutex 0x[0-9a-f]+ \(held\), held by [0-9]+ holder' "$dir/out" ||
			fail "gdb on the program $how: the locker"
		grep -qE ' writer +parked .*rwlock 0x[0-9a-f]+ \(read_table\), held by 2 readers' "$dir/out" ||
			fail "gdb on the program $how: the writer"
		grep -qE ' receiver +parked .*channel receive 0x[0-9a-f]+' "$dir/out" ||
			fail "gdb on the program $how: the receiver"
		grep -qE '^#[0-9]+ .* on_latch ' "$dir/out" || fail "gdb on the program $how: a stack"
	fi
	exec 9>&-
	wait $pid || fail "the program $how did not end well"
}

seen 'by itself' "$dir/waits"
seen 'under upcall run' "$UPCALL" run "$dir/waits"
(sleep 2) | traced 'from its start' -- "$dir/waits"
exit 0
