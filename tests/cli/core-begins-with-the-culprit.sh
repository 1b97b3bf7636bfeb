#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A core file begins with the thread that ended the process, with its own stack: for abort, a fault and a signal sent
# to it wherever it is.  gdb shows that one first, and so does upcall stack, which names it and the signal.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
compiler=$(command -v cc) || skip 'no C compiler'
command -v gdb >/dev/null || skip 'no gdb'
command -v python3 >/dev/null || skip 'no python3'
[ -x "$(dirname "$UPCALL")/upcall-look" ] || skip 'built without libdw'
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] || skip 'core files do not go to the working directory'
ulimit -c unlimited || skip 'core files are limited'
"$compiler" -O1 -g -o "$dir/crash" "$here/crash.c" -pthread || fail 'cannot compile'

# crash SIGNAL HOW [WHERE]
crash() {
	signal=$1
	shift
	mkdir "$dir/core" && cd "$dir/core" || exit 1
	expect $((128 + signal)) sh -c '"$@"; exit $?' - "$UPCALL" run "$dir/crash" "$@"
	core=$(echo core*)
	[ -f "$core" ] || skip 'no core file was written'
	timeout 50 gdb -q -nx -batch -iex 'set debuginfod enabled off' -ex bt "$dir/crash" "$core" \
		>"$dir/out" 2>"$dir/err"
	says 'in victim ()'
	expect 0 "$UPCALL" stack --json --core "$core" "$dir/crash"
	python3 - "$dir/out" "$signal" <<'PY' || fail "the JSON of $*"
import json, sys
core = json.load(open(sys.argv[1]))
assert core["ended_by"]["signal"] == int(sys.argv[2]), core["ended_by"]
assert core["stacks"][0]["threads"] == [core["ended_by"]["thread"]], core["ended_by"]
assert any((f["symbol"] or "").startswith("victim") for f in core["stacks"][0]["frames"]), core["stacks"][0]
PY
	expect 0 "$UPCALL" stack --core "$core" "$dir/crash"
	head -n 1 "$dir/out" | grep -q "^ended by signal $signal (.*), in thread [1-9]" || fail "the first line: $*"
	cd "$dir" && rm -rf "$dir/core"
}

crash 6 abort
crash 6 assert
crash 6 raise
crash 11 fault
for place in computing cond mutex sem join sleep read poll flock sigwait; do
	crash 3 quit $place
done
exit 0
