#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `upcall bench activations`: every system has its rows; without upcalls there are none.
. "$(dirname "$0")/lib.sh"
export TMPDIR="$dir/tmp"
mkdir "$TMPDIR" || exit 1
program=$BUILD/bench/activations

expect 0 "$UPCALL" bench --quick --runs=1 --json activations/null-fork activations/signal-wait activations/upcall
is_silent
python3 - "$dir/out" <<'X' || fail 'the figures of operations'
import json, sys
rows = {(r["case"], r["system"]): r["median"] for r in json.load(open(sys.argv[1])) if r["runs"]}
threads = {"glibc", "upcall-none", "upcall"}
for case in "null-fork", "signal-wait":
    assert {s for c, s in rows if c == case} == threads | {"process"}, rows
    assert rows[case, "upcall"] < rows[case, "glibc"], rows
assert {s for c, s in rows if c == "upcall"} == threads - {"upcall-none"}, rows
X

cd "$dir" || exit 1
"$program" nbody-40 0.1 glibc >"$dir/out" 2>"$dir/err"
[ $? -ne 77 ] || skip "$(cat "$dir/out")"
expect 0 "$UPCALL" bench --quick --runs=1 --json activations/nbody-100 activations/nbody-40 activations/nbody-two
is_silent
python3 - "$dir/out" <<'X' || fail 'the figures of the application'
import json, sys
rows = {(r["case"], r["system"]): r["median"] for r in json.load(open(sys.argv[1]))}
for system in "glibc", "upcall-none", "upcall":
    assert all(rows[c, system] > 0 for c in ("nbody-100 step", "nbody-100 speedup", "nbody-40 step",
        "nbody-40 speedup", "nbody-40 misses", "nbody-two step", "nbody-two speedup")), (system, rows)
    assert ("nbody-100 misses", system) not in rows
X

# How often a spare took a vproc over.
blocked() {
	grep -q '^step ' "$dir/out" || fail 'no figure'
	awk '$1 ~ /^upcalls\.blocked\./ { n += $2 } END { print n + 0 }' "$dir/err"
}
expect 0 "$UPCALL" run --stats "$program" nbody-40 0.3 upcall
[ "$(blocked)" -gt 0 ] || fail 'no upcalls, with upcalls'
awk '$1 == "overlap_max_ns" && $2 > 1e11 { exit 1 }' "$dir/err" || fail 'an overlap longer than the program ran'
expect 0 env UPCALL_DISABLE=upcalls "$UPCALL" run --stats "$program" nbody-40 0.3 upcall-none
[ "$(blocked)" -eq 0 ] || fail 'upcalls, without upcalls'
[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
exit 0
