#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A thread that was blocked in the kernel, and came back, has not computed meanwhile.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"

"$compiler" -O2 -o "$dir/blocked" "$here/blocked.c" -pthread || fail 'cannot compile'
situation "$UPCALL" run --vprocs=1 "$dir/blocked"
expect 0 "$UPCALL" ps --json $pid
python3 - "$dir/out" <<'PY' || fail "a blocked thread computed"
import json, sys
threads = json.load(open(sys.argv[1]))["processes"][0]["threads"]
[ms] = [t["cpu_ns"] / 1e6 for t in threads if t["name"] == "blocker"]
print("blocker: %.1f ms" % ms)
assert ms < 100, threads
PY
