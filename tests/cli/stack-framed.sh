#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `upcall stack` shows a stack to its end also where a blocked function's caller is found by the frame pointer only.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"

"$compiler" -O2 -g -o "$dir/framed" "$here/framed.c" -pthread || fail 'cannot compile'
cat >"$dir/check" <<'PY'
import json, sys
stacks = json.load(open(sys.argv[1]))["stacks"]
functions = [[(f["symbol"] or "").split("+")[0] for f in s["frames"]] for s in stacks]
[one] = [f for f in functions if "framed" in f]
assert one == ["framed", "calls_it"] + one[2:] and one[-1] == "arch_context_start", one
PY
situation "$UPCALL" run "$dir/framed"
for _ in $(seq 30); do		# when it is ready it is about to block
	expect 0 "$UPCALL" stack --json $pid
	python3 "$dir/check" "$dir/out" 2>"$dir/why" && exit 0
	sleep 0.1
done
cat "$dir/why"
fail 'the stack is not whole'
