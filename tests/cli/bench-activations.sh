#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `upcall bench activations`: every system has its rows, with the paper's figures and what they are to be;
# without upcalls there are none.
. "$(dirname "$0")/lib.sh"
export TMPDIR="$dir/tmp"
mkdir "$TMPDIR" || exit 1
program=$BUILD/bench/activations

expect 0 "$UPCALL" bench --quick --runs=1 --json activations/null-fork activations/signal-wait activations/upcall
is_silent
python3 - "$dir/out" <<'X' || fail 'the figures of operations'
import json, sys
measured = [r for r in json.load(open(sys.argv[1])) if r["runs"]]
rows = {(r["case"], r["system"]): r["median"] for r in measured}
threads = {"glibc", "upcall-none", "upcall"}
for case in "null-fork", "signal-wait":
    assert {s for c, s in rows if c == case} == threads | {"process"}, rows
    assert all(rows[case, s] > 0 for s in threads), rows
assert {s for c, s in rows if c == "upcall"} == threads - {"upcall-none"}, rows
whose = {"process": "Ultrix processes", "glibc": "Topaz threads", "upcall-none": "FastThreads on Topaz threads",
         "upcall": "FastThreads on activations"}
in_1991_us = {
    "null-fork": {"process": 11300, "glibc": 948, "upcall-none": 34, "upcall": 37},
    "signal-wait": {"process": 1840, "glibc": 441, "upcall-none": 37, "upcall": 42},
    "upcall": {"glibc": 441, "upcall": 2400},
}
for r in measured:
    assert r["unit"] == "ns" and r["paper"] == {whose[r["system"]]: 1000 * in_1991_us[r["case"]][r["system"]]}, r
    is_judged = r["system"] == "upcall" and r["case"] != "upcall"
    assert [(b["at_most"], b["of"], b["held"]) for b in r["bounds"]] == \
        ([(1.15, "upcall-none", r["ratio_to"]["upcall-none"] <= 1.15)] if is_judged else []), r
X

cd "$dir" || exit 1
"$program" nbody-40 0.1 glibc >"$dir/out" 2>"$dir/err"
[ $? -ne 77 ] || skip "$(cat "$dir/out")"
expect 0 "$UPCALL" bench --quick --runs=1 --json activations/nbody-100 activations/nbody-40 activations/nbody-two
is_silent
python3 - "$dir/out" <<'X' || fail 'the figures of the application'
import json, sys
measured = json.load(open(sys.argv[1]))
rows = {(r["case"], r["system"]): r["median"] for r in measured}
in_1991 = {"glibc": {"Topaz threads": 1.29}, "upcall-none": {"FastThreads on Topaz threads": 1.26},
           "upcall": {"FastThreads on activations": 2.45}}
for r in measured:
    assert r["paper"] == (in_1991[r["system"]] if r["case"] == "nbody-two speedup" else {}), r
    is_judged = r["system"] == "upcall" and r["case"] in ("nbody-40 step", "nbody-two step")
    assert [(b["at_most"], b["of"]) for b in r["bounds"]] == \
        ([(1, "glibc"), (1, "upcall-none")] if is_judged else []), r
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
