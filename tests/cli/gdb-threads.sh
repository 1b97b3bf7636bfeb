#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gdb finds its commands for user-level threads by itself, and they work in a live process, which
# goes on afterwards, and in a core file; so do its own `info threads` and `thread apply all`.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"
command -v gdb >/dev/null || skip 'no gdb'
gdb -nx -batch -ex 'python print("yes")' 2>/dev/null | grep -q yes || skip 'a gdb without Python'

in_gdb() {	# ARGUMENTS...: runs gdb on it
	timeout 50 gdb -q -nx -batch -iex 'set debuginfod enabled off' \
		-iex "add-auto-load-safe-path $BUILD" "$@" \
		-ex 'info upcall threads' -ex 'echo == apply\n' -ex 'upcall apply all bt' \
		-ex 'echo == plain\n' -ex 'info threads' -ex 'echo == all\n' -ex 'thread apply all -s bt' \
		-ex 'echo == one\n' -ex 'upcall thread 2 bt' -ex 'upcall thread 2' -ex 'up 6' -ex 'bt' \
		-ex 'upcall thread' -ex 'echo == end\n' >"$dir/out" 2>"$dir/err"
}

verify() {
	python3 - "$dir/out" <<'PY' || fail "$1"
import re, sys
text = open(sys.argv[1]).read()
head, rest = text.split("== apply\n")
apply, rest = rest.split("== plain\n")
plain, rest = rest.split("== all\n")
plain_all, rest = rest.split("== one\n")
one = rest.split("== end\n")[0]

rows = {}
for line in head.split("\n"):
    m = re.match(r" +(\d+) (\S+) +(\S+) +(\S+) *(.*)", line)
    if m and m[1].isdigit():
        rows[int(m[1])] = m.groups()
assert len(rows) == 18, rows
by_name = {r[1]: r for r in rows.values()}
assert "(circle_lock" in by_name["circle"][4] and by_name["circle"][2] == "parked"
assert re.match(r"rwlock 0x[0-9a-f]+ \(shared_table\)", by_name["reader"][4]), by_name["reader"]
assert by_name["locker"][2] == "kernel" and by_name["locker"][3].isdigit(), by_name["locker"]

stacks = {}
for part in apply.split("\nUpcall thread ")[1:]:
    stacks[int(re.match(r"\d+", part)[0])] = re.findall(r"^#\d+ +(?:0x\w+ in )?([\w.]+)", part, re.M)
assert set(stacks) == set(rows), set(stacks) ^ set(rows)
want = {"pipe-reader": "pipe_reader", "sem-waiter": "sem_waiter"}
for number, stack in stacks.items():
    name = rows[number][1]
    function = "main" if number == 1 else want.get(name, name)
    if name == "situation" and number != 1:
        function = "crowd"
    assert function in stack, (number, name, stack)
    assert "spare_wait" not in stack, stack
    if number != 1:
        assert stack[-1] == "arch_context_start", (name, stack)

# The plain commands of gdb: its own list and then ours; every stack is there once.
listed = {int(n) for n in re.findall(r"^ +(\d+) \S+ +(?:parked|ready|running|kernel|bound) ", plain, re.M)}
assert listed == set(rows) and re.search(r"^\* +1 ", plain, re.M), plain
for number, stack in stacks.items():
    if rows[number][2] == "parked":
        part = re.search(r"^Upcall thread %d .*\n((?:#.*\n)+)" % number, plain_all, re.M)
        assert part and re.findall(r"^#\d+ +(?:0x\w+ in )?([\w.]+)", part[1], re.M) == stack, (number, plain_all)
    else:
        assert not re.search(r"^Upcall thread %d " % number, plain_all, re.M) or rows[number][2] == "ready", number
assert re.search(r"^Thread 1 \(", plain_all, re.M), plain_all
assert one.count(" circle ") == 2 and "arch_context_start" in one, one
PY
}

ulimit -c unlimited
cd "$dir" || exit 1
situation "$UPCALL" run "$dir/situation" 5 "$dir/lock"
in_gdb -p $pid || fail 'gdb'
verify 'the live process'
kill -0 $pid || fail 'the process did not survive gdb'
# A kernel thread that is selected after a thread has its own stack, with its first frame; the language does not matter.
timeout 50 gdb -q -nx -batch -iex 'set debuginfod enabled off' -iex "add-auto-load-safe-path $BUILD" -p $pid \
	-ex 'upcall thread 2' -ex 'thread 2' -ex 'echo == kernel\n' -ex 'bt 1' -ex 'set language rust' \
	-ex 'echo == rust\n' -ex 'info upcall threads' -ex 'upcall thread 2 bt' >"$dir/out" 2>"$dir/err" || fail 'gdb, other ways'
sed -n '/^== kernel/,/^== rust/p' "$dir/out" | grep -q '^#0 ' || fail 'the first frame of a kernel thread'
sed -n '/^== rust/,$p' "$dir/out" >"$dir/rust"
grep -q 'circle_lock' "$dir/rust" && grep -q arch_context_start "$dir/rust" || fail 'in Rust'
expect 0 "$UPCALL" ps $pid
says '(crowd_cond)'

[ "$(cat /proc/sys/kernel/core_pattern)" = core ] || exit 0
kill -ABRT $pid
wait $pid 2>/dev/null
core=$(echo core*)
[ -f "$core" ] || exit 0
in_gdb "$dir/situation" "$core" || fail 'gdb on the core file'
verify 'the core file'
exit 0
