#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upcall bench myth, dgux and psyche: the rows of the papers' tables, with their figures beside ours.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3'

expect 0 "$UPCALL" bench --quick --runs=1 --json --svg="$dir/chart.svg" myth dgux psyche/gauss psyche/sort psyche/gauss-8
is_silent
python3 - "$dir" <<'X' || fail 'the rows'
import json, sys, xml.etree.ElementTree as tree
dir = sys.argv[1]
rows = {(r["bench"], r["case"], r["system"]): r for r in json.load(open(dir + "/out")) if r["runs"]}
# What the paper has beside Upcall's figure; None: nothing.
cases = {
    "myth": {
        "table-1": {"lock": 4100, "fcntl-lock": 88500, "kernel-lock": 45500, "fcntl-lock/lock": 20, "kernel-lock/lock": 11},
        "table-2": {"null-function": 300, "null-syscall": 6900, "mask-signals": 24500},
        "table-3": {"thread": 102800, "sfork": 2076000, "fork": 8470000, "self": 790, "sfork/thread": 20, "fork/thread": 80},
        "table-4": {"yield": 7800, "switch-2": 105700, "switch-4": 131600, "switch-8": 148200, "switch-16": 158100,
                    "switch-20": 162900, "switch-2/yield": 13, "switch-20/yield": 20},
        "table-5": {"signal": 126700, "signal-0": 10800, "upcall-estimate": 115900},
        "start": {"first-thread": 11000000, "library": 10240},
    },
    "dgux": {
        "table-2": {"null-syscall": 19500, "null-call": 500},
        "table-3": {op + x: paper / y for op, paper in (("yield-alone", 1800), ("yield", 4000), ("create-exit", 8100),
                    ("mutex", 12300), ("condition", 13200), ("create-exit-join", 14100), ("condition-timed", 17700))
                    for x, y in (("", 1), ("/syscall", 19500))},
        "table-4": {"thread": 14100, "bound": 57100, "process": 7738900},
        "table-5": {"condition": 13200, "condition-bound": 33600, "shared": 13700, "shared-bound": 38400,
                    "shared-processes": 38900, "semop": 99700, "semop-bound": 107900, "semop-processes": 116100},
        "table-6": {"create": 4000, "mutex": 12300, "condition": 13200},
    },
    "psyche": {"gauss": {"": 22000}, "sort": {"": 27100}, "gauss-8": {"": 69.375}},
}
expected = {}
for bench, tables in cases.items():
    for table, metrics in tables.items():
        for metric, paper in metrics.items():
            case = f"{table} {metric}".strip()
            for system in ("glibc", "upcall", "native"):
                expected[bench, case, system] = paper
del expected["myth", "start library", "glibc"]		# it is the C library
for metric in ("shared", "shared-bound", "shared-processes"):
    del expected["dgux", "table-5 " + metric, "native"]
assert rows.keys() == expected.keys(), rows.keys() ^ expected.keys()
for key, r in rows.items():
    assert key[2] == "glibc" or abs(next(iter(r["paper"].values())) / expected[key] - 1) < 0.001, r
    is_difference = "switch-" in key[1] or "estimate" in key[1]
    assert r["median"] > 0 or is_difference, r
beside = lambda *key: rows[key]["paper"]
assert beside("dgux", "table-6 condition", "upcall") == {"DG/UX, local": 13200, "FSU": 55000, "SunOS": 158000}
assert beside("dgux", "table-4 thread", "glibc") == {"DG/UX, global": 57100}
assert beside("psyche", "sort", "glibc") == {"kernel processes": 44300}
assert beside("myth", "table-1 lock", "glibc") == {}
assert rows["myth", "table-1 lock", "native"]["ratio_to"].keys() == {"glibc", "upcall"}
assert rows["myth", "table-1 kernel-lock/lock", "upcall"]["ratio_to"] == {}
texts = [e.text for e in tree.parse(dir + "/chart.svg").iter("{http://www.w3.org/2000/svg}text")]
assert {"myth table-3 thread", "dgux table-5 condition", "psyche sort"} <= set(texts), texts
X
exit 0
