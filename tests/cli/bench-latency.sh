#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `upcall bench latency`: both systems are measured in each case, and the others compute meanwhile.
. "$(dirname "$0")/lib.sh"

expect 0 "$UPCALL" bench --quick --runs=1 --json latency
is_silent
python3 - "$dir/out" <<'X' || fail 'the figures'
import json, sys
rows = {(r["case"], r["system"]): r["median"] for r in json.load(open(sys.argv[1]))}
for case in "sleep", "echo", "client", "yield", "spawn", "spin":
    for system in "glibc", "upcall":
        p50, p99, compute = (rows[case + " " + m, system] for m in ("p50", "p99", "compute"))
        assert 0 < p50 <= p99 and compute > 0, (case, system, p50, p99, compute)
X
exit 0
