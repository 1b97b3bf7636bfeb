#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What ps, stack and gdb say of threads in every wait that involves the kernel or a descriptor, and of
# ten thousand on a condition: of the living process, and of its core file.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"
crowd=10000

# A disk takes long to write and to remove a core file with so many holes.
cores=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d -p "$dir") || exit 1
ulimit -c unlimited
cd "$cores" || exit 1
"$compiler" -O2 -g -o "$dir/waits" "$here/waits.c" -pthread || fail 'cannot compile'

# Not even SIGKILL ends the page fault, as long as somebody may serve it.
end() {
	server=$(sed -n 's/^server: //p' "$dir/ready")
	[ "${server:-0}" -ne 0 ] && kill -9 "$server" 2>/dev/null
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
}

# again ARGUMENTS...: the program runs anew.
again() {
	[ -n "${pid-}" ] && end
	rm -f "$dir/stdin"
	situation "$UPCALL" run "$dir/waits" "$@"
	trap 'end; rm -rf "$dir" "$cores"' EXIT
	echo "page fault: $(sed -n 's/^fault: //p' "$dir/ready")"
}

# On a busy machine it takes long until somebody has seen that the faulting thread blocked.
await_fault() {
	grep -q '^fault: none' "$dir/ready" && return
	for _ in $(seq 300); do
		expect 0 "$UPCALL" ps $pid
		grep -qE '^ +[0-9]+ faulter +kernel' "$dir/out" && return
		sleep 0.1
	done
	fail 'the faulting thread is not seen to block'
}

check() {	# WHAT ps.json stack.json
	python3 - "$dir/ready" "$crowd" "$@" 2>"$dir/why" <<'PY' || fail "what is said of the $1: $(cat "$dir/why")"
import json, re, sys
ready, crowd, what, ps, stack = sys.argv[1:]
ready = open(ready).read()
fault = re.search(r"fault: (\w+)", ready)[1]
listener, pair, pipe0, pipe1, epoll = map(int, re.search(
    r"listener (\d+) pair (\d+) pipes (\d+) (\d+) epoll (\d+)", ready).groups())
live = what == "process"
[process] = json.load(open(ps))["processes"]
threads = process["threads"]
assert len(threads) == int(crowd) + 12 + (fault != "none"), len(threads)
by_name = {}
for t in threads:
    by_name.setdefault("crowd" if t["start"] == "crowd" else t["name"] if t["id"] > 1 else "main", []).append(t)
one = {n: t[0] for n, t in by_name.items() if len(t) == 1}

def wait(name, **wanted):
    for t in by_name[name]:
        for key, value in wanted.items():
            assert t["waits_for"].get(key) == value, (name, key, value, t)

def left(name, seconds):
    if live:
        assert (seconds - 300) * 1e9 < one[name]["waits_for"]["left_ns"] <= seconds * 1e9, one[name]

# The crowd, the readers behind a writer, those with a deadline.
assert len(by_name["crowd"]) == int(crowd) and all(t["state"] == "parked" for t in by_name["crowd"])
wait("crowd", kind="cond", symbol="crowd_cond", left_ns=None)
assert len(by_name["reader"]) == 3
wait("reader", kind="rwlock", symbol="shared_table", owner=one["writer"]["id"])
wait("sleeper", kind="sleep")
left("sleeper", 5000)
wait("timed", kind="cond", symbol="timed_cond")
left("timed", 7000)

# Descriptors, and what they are.
wait("acceptor", kind="io", fd=listener, **{"for": "read"})
wait("receiver", kind="io", fd=pair, **{"for": "read"})
wait("epoller", kind="io", fd=epoll, **{"for": "read"})
wait("poller", kind="io", nfds=2, **{"for": "poll"})
assert [f["fd"] for f in one["poller"]["waits_for"]["fds"]] == [pipe0, pipe1], one["poller"]
left("poller", 6000)
if live:
    assert re.fullmatch(r"tcp 127\.0\.0\.1:\d+, listening", one["acceptor"]["waits_for"]["fd_is"])
    wait("receiver", fd_is="unix")
    wait("epoller", fd_is="anon_inode:[eventpoll]")
    assert all(f["fd_is"].startswith("pipe:[") for f in one["poller"]["waits_for"]["fds"])

# In the kernel: a page fault, a thread with a kernel thread of its own, one that is nobody's.
assert one["bound"]["state"] == "bound" and one["bound"]["kernel_tid"] != one["bound"]["tid"]
if fault != "none":
    assert one["faulter"]["state"] == ("kernel" if live else one["faulter"]["state"]), one["faulter"]
if live:
    wait("bound", call="clock_nanosleep", kernel_state="S")
    assert one["bound"]["time_ns"] > 1e8 and one["bound"]["cpu_ns"] > 0, one["bound"]
    if fault != "none":
        wait("faulter", call="page fault")
        assert one["faulter"]["waits_for"]["in"].startswith("faulter"), one["faulter"]
        assert one["faulter"]["waits_for"]["kernel_state"] in "SD", one["faulter"]
    role = {k["tid"]: k for k in process["kernel_threads"]}
    assert role[one["bound"]["kernel_tid"]]["role"] == "bound", role
    if fault != "none":
        assert role[one["faulter"]["kernel_tid"]]["role"] == "blocked", role
    [foreign] = [k for k in role.values() if k["role"] == "foreign"]
    assert foreign["call"] == "pause", foreign
    assert [k["role"] for k in role.values()].count("monitor") == 1, role

# Every stack is whole, and in the function that waits.
stacks = json.load(open(stack))["stacks"]
functions = {}
for s in stacks:
    for i in s["threads"]:
        functions[i] = [(f["symbol"] or "?").split("+")[0] for f in s["frames"]]
assert sorted(functions) == sorted(t["id"] for t in threads)
for name, those in by_name.items():
    for t in those:
        assert name in functions[t["id"]], (name, functions[t["id"]])
assert max(len(s["threads"]) for s in stacks) == int(crowd), [len(s["threads"]) for s in stacks][:4]
PY
}

live() {
	await_fault
	expect 0 "$UPCALL" ps --json $pid
	is_silent
	cp "$dir/out" "$dir/ps"
	expect 0 "$UPCALL" stack --json $pid
	cp "$dir/out" "$dir/stack"
	check process "$dir/ps" "$dir/stack"
}

again $crowd
live
expect 0 "$UPCALL" ps $pid
grep -qE '^ +- waits +foreign [0-9]+ .* pause$' "$dir/out" || fail 'the foreign kernel thread'
grep -qE ' poller .* io poll fd [0-9]+ \(pipe:\[[0-9]+\]\), fd [0-9]+ \(pipe:\[[0-9]+\]\), 1h[0-9]+m left$' "$dir/out" ||
	fail 'the poller'

# gdb waits for ever for a thread that a file system keeps in a page fault, as it does without us.
again $crowd nofuse
live
if command -v gdb >/dev/null && gdb -nx -batch -ex 'python print("yes")' 2>/dev/null | grep -q yes; then
	timeout 100 gdb -q -nx -batch -iex 'set debuginfod enabled off' -iex "add-auto-load-safe-path $BUILD" \
		-p $pid -ex 'info upcall threads' >"$dir/out" 2>"$dir/err" || fail 'gdb'
	[ "$(grep -c 'parked .* cond 0x[0-9a-f]* (crowd_cond)' "$dir/out")" -eq $crowd ] || fail 'the crowd in gdb'
	grep -qE '^ +[0-9]+ reader +parked .*rwlock 0x[0-9a-f]+ \(shared_table\), held by [0-9]+ writer' "$dir/out" ||
		fail 'the reader in gdb'
	grep -qE "^ +[0-9]+ acceptor +parked .*io fd [0-9]+$" "$dir/out" || fail 'the acceptor in gdb'
	grep -qE '^ +[0-9]+ bound +bound +[0-9]+' "$dir/out" || fail 'the bound thread in gdb'
fi
kill -0 $pid || fail 'the program ended'

[ "$(cat /proc/sys/kernel/core_pattern)" = core ] || exit 0
kill -ABRT $pid
wait $pid 2>/dev/null
core=$(echo core*)
[ -f "$core" ] || exit 0
expect 0 "$UPCALL" ps --json --core "$core" "$dir/waits"
cp "$dir/out" "$dir/ps"
expect 0 "$UPCALL" stack --json --core "$core" "$dir/waits"
cp "$dir/out" "$dir/stack"
check 'core file' "$dir/ps" "$dir/stack"
exit 0
