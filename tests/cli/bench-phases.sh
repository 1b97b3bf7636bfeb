#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upcall bench psyche/phases: what there is with and without a warning, with the paper's figures beside it.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3'

expect 0 "$UPCALL" bench --quick --runs=1 --json psyche/phases
is_silent
python3 - "$dir/out" <<'X' || fail 'the rows'
import json, sys
rows = {(r["case"].partition(" ")[2], r["system"]): r for r in json.load(open(sys.argv[1]))}
plain, warned = (8.50, 40.1, 61.6), (8.58, 16.0, 23.8)
def figures(prefix, times):
    return dict([(f"{prefix}level-{i + 1}", times[i]) for i in range(3)] +
                [(f"{prefix}slowdown-{i + 1}", times[i] / times[0]) for i in (1, 2)])
expected = {s: figures("", plain) for s in ("glibc", "upcall", "native", "sched_ext")}
expected["sched_ext"] |= figures("warned-", warned) | {"gain-2": 40.1 / 16, "gain-3": 61.6 / 23.8, "cost": 100 * (8.58 / 8.5 - 1)}
bounds = {"warned-slowdown-2": {"at_most": 2.2}, "warned-slowdown-3": {"at_most": 3.3}, "gain-2": {"at_least": 2},
          "gain-3": {"at_least": 2}, "cost": {"at_most": 1}}
without = rows.pop(("", "sched_ext"), None)	# where the kernel has no such scheduler, or we are not root
if without:
    assert without["runs"] == 0 and without["notes"], without
    del expected["sched_ext"]
assert rows.keys() == {(m, s) for s in expected for m in expected[s]}, rows.keys()
for (metric, system), r in rows.items():
    whose = "the warning" if metric[:4] in ("gain", "cost") else "with the warning" if "warned" in metric else "no warning"
    assert list(r["paper"]) == [whose] and abs(r["paper"][whose] / expected[system][metric] - 1) < 1e-4, r
    assert r["unit"] == ("%" if metric == "cost" else "s" if "level" in metric else "times"), r
    assert r["median"] > 0 or metric == "cost", r
    judged = [{k: v for k, v in b.items() if k[:3] == "at_"} for b in r["bounds"]]
    assert judged == ([bounds[metric]] if metric in bounds else []), r
    assert "10 phases, the times made into those of 200" in r["notes"], r
    assert (system == "sched_ext") != any("nobody warns" in n for n in r["notes"]), r
X
exit 0
