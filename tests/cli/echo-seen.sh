#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# examples/echo with 500 connections is looked at under load, by ps and stack once a second with top
# beside them: each connection's thread is there with a stack of its own.  How many requests were served
# with and without somebody who looks is printed; UPCALL_TEST_WINDOWS=10 makes that a measurement.
. "$(dirname "$0")/lib.sh"
connections=500 windows=${UPCALL_TEST_WINDOWS:-1} seconds=3
[ -x "$BUILD/examples/echo-threads" ] || skip 'an installed command'
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -gt $((2 * connections)) ] || skip 'too few descriptors'
ulimit -n "$(ulimit -Hn)"

"$UPCALL" run "$BUILD/examples/echo-threads" --port=0 >"$dir/server" &
server=$!
trap 'kill $server $top $load 2>/dev/null; wait; rm -rf "$dir"' EXIT
for _ in $(seq 100); do
	grep -q '^listening' "$dir/server" && break
	sleep 0.1
done

load() {
	"$BUILD/examples/echo-load" --json --connections=$connections --seconds=$seconds \
		--port="$(sed -n 's/^listening on .*://p' "$dir/server")" >"$dir/load" 2>"$dir/err" &
	load=$!
}

served() {
	wait $load || fail 'the load failed'
	load=
	sed -n 's/.*"requests_per_s": \([0-9.]*\).*/\1/p' "$dir/load"
}

threads() { "$UPCALL" stats --json $server | sed -n 's/.*"threads_live": \([0-9]*\).*/\1/p'; }

look() {	# until the load is over
	for _ in $(seq 200); do
		[ "$(threads)" -gt $connections ] && break
		sleep 0.05
	done
	while kill -0 $load 2>/dev/null; do
		"$UPCALL" ps --json $server >"$dir/ps.new" || fail 'ps'
		timeout 20 "$UPCALL" stack --json $server >"$dir/stack.new" || fail 'stack'
		# One that the end of the load broke off is no look.
		[ "$(threads)" -le $connections ] || mv "$dir/ps.new" "$dir/ps"
		[ "$(threads)" -le $connections ] || mv "$dir/stack.new" "$dir/stack"
		sleep 1
	done
}

for ((i = 0; i < windows; i++)); do
	load
	served >>"$dir/unseen"
	"$UPCALL" top -b -d 1 $server >"$dir/top" &
	top=$!
	load
	look
	served >>"$dir/seen"
	kill $top
	wait $top 2>/dev/null
	top=
done
[ -s "$dir/ps" ] && [ -s "$dir/stack" ] || skip 'no look was in time'
grep -q "echo-threads" "$dir/top" || fail 'top says nothing'
python3 - "$dir/ps" "$dir/stack" $connections <<'PY' || fail 'see above'
import json, sys
threads = json.load(open(sys.argv[1]))["processes"][0]["threads"]
stacks = json.load(open(sys.argv[2]))["stacks"]
assert len(threads) >= int(sys.argv[3]) + 1, len(threads)
waits = [t for t in threads if t.get("waits_for") and t["waits_for"].get("kind") == "io"]
fds = [t["waits_for"].get("fd") for t in waits if t["id"] != 1]
assert len(set(fds)) == len(fds), "two threads wait for one connection"
seen, broken = set(), []
for s in stacks:
    functions = [(f["symbol"] or "?").split("+")[0] for f in s["frames"]]
    if s["problem"] or functions[-1] != "arch_context_start":
        broken.append((s["problem"], functions, s["threads"]))
    assert not seen & set(s["threads"]), "a thread has two stacks"
    seen.update(s["threads"])
assert len(seen) >= int(sys.argv[3]) + 1, len(seen)
# main, and one that moves about at each of twenty looks, which is said.
broken = [b for b in broken if b[2] != [1]]
assert len(broken) <= 2 and all(b[0] == "it moved while it was looked at" for b in broken), broken[:3]
PY
paste "$dir/unseen" "$dir/seen" | awk '{ printf "%.0f requests/s, %.0f looked at: %.3f\n", $1, $2, $2 / $1 }'
exit 0
