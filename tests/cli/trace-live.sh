#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# upcall trace -p: a process that runs is recorded for a while, those of its threads too that only
# wait; it is not stopped, and nothing is left on in it, however the tool ends.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"
library=$(dirname "$(dirname "$UPCALL")")/src/libupcall-pthread.so
[ -f "$library" ] || skip 'an installed command'

# One vproc: the two that compute take turns, so there are events.
situation env UPCALL_VPROCS=1 "$UPCALL" run -- "$dir/situation" 5 "$dir/lock"

# is_on: what the word says that all trace points look at.
is_on() {
	python3 - "$library" $pid <<'PY'
import re, subprocess, sys
symbols = subprocess.run(["readelf", "-sW", sys.argv[1]], capture_output=True, text=True).stdout
offset = int(re.search(r"(\w{16})\s+4 OBJECT\s+\w+\s+\w+\s+\d+ trace_switches", symbols)[1], 16)
base = min(int(line.split("-")[0], 16) for line in open(f"/proc/{sys.argv[2]}/maps") if "libupcall-pthread.so" in line)
with open(f"/proc/{sys.argv[2]}/mem", "rb", 0) as memory:
    memory.seek(base + offset)
    sys.exit(memory.read(4) == bytes(4))
PY
}

is_on && fail 'it is on before anybody traced'
for run in 1 2; do
	expect 0 "$UPCALL" trace -p $pid --seconds=0.5 -o "$dir/t.json" --json
	is_silent
	is_on && fail 'it is still on'
	python3 - "$dir/t.json" "$dir/out" <<'PY' || fail 'see above'
import json, sys
from collections import Counter
trace, sums = (json.load(open(f)) for f in sys.argv[1:3])
events = trace["traceEvents"]
names = {e["tid"]: e["args"]["name"] for e in events
         if e["ph"] == "M" and e["name"] == "thread_name" and e["pid"] == 2}
spans = [(names[e["tid"]], e["args"], e["dur"] / 1e3) for e in events if e["ph"] == "X" and e["pid"] == 2]
wrong = []
def has(name, least, **args):
    ms = sum(d for n, a, d in spans if n == name and all(str(a.get(k, "")).startswith(v) for k, v in args.items()))
    if ms < least:
        wrong.append(f"{name} {args}: {ms} ms")
has("circle", 3 * 480, state="parked", kind="mutex", symbol="circle_lock")
has("reader", 480, state="parked", kind="rwlock", symbol="shared_table")
has("sleeper", 480, state="parked", kind="sleep")
has("pipe-reader", 480, state="parked", kind="io", symbol="fd ")
has("joiner", 480, state="parked", kind="join")
has("sem-waiter", 480, state="parked", kind="sem", symbol="empty_sem")
has("crowd()", 5 * 480, state="parked", kind="cond", symbol="crowd_cond")
has("locker", 480, state="kernel")
has("computer", 100, state="running")
if not 480 <= sums["length_ns"] / 1e6 <= 5000 or sums["lost"]:
    wrong.append(f"{sums['length_ns']} ns, {sums['lost']} lost")
print("\n".join(wrong))
sys.exit(bool(wrong))
PY
done

# A tool that is killed takes its tracing with it, seconds later.
"$UPCALL" trace -p $pid -o "$dir/t.json" &
tool=$!
for _ in $(seq 100); do
	is_on && break
	sleep 0.05
done
is_on || fail 'the tool has not begun'
kill -9 $tool
wait $tool 2>/dev/null
for _ in $(seq 300); do
	is_on || break
	sleep 0.1
done
is_on && fail 'on for half a minute after the tool was killed'

# SIGINT ends it, with a file.
rm -f "$dir/t.json"
"$UPCALL" trace -p $pid -o "$dir/t.json" &
tool=$!
sleep 0.5
kill -INT $tool
wait $tool || fail 'SIGINT is no success'
grep -q "\"name\":\"computer\"" "$dir/t.json" || fail "no file"
is_on && fail 'on after SIGINT'

expect 1 "$UPCALL" trace -p 2147483646 --summary
complains 'no such process'
expect 1 "$UPCALL" trace -p $$ --summary
complains 'is not run by upcall'
kill -0 $pid || fail 'the program has ended'
exit 0
