#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# upcall trace: events that came while the tool could not read are counted, said and marked, and the
# rest still makes sense; --events ends a recording.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traced.lib"
traced_build

"$UPCALL" trace -o "$dir/t.json" --seconds=6 -- "$dir/traced" 100000000 0 "$dir/lock" >"$dir/out" 2>"$dir/err" &
tool=$!
trap 'kill -CONT $tool 2>/dev/null; pkill -9 -P $tool; wait $tool 2>/dev/null; rm -rf "$dir"' EXIT
sleep 0.5
kill -STOP $tool
sleep 4
kill -CONT $tool
for _ in $(seq 300); do
	[ -s "$dir/t.json" ] && tail -c 4 "$dir/t.json" | grep -q ']}' && break
	sleep 0.1
done
grep -Eq '^upcall: .*events are lost' "$dir/err" || fail 'nothing said'
python3 - "$dir/t.json" <<'PY' || fail 'see above'
import json, sys
from collections import defaultdict
trace = json.load(open(sys.argv[1]))
lost = trace["otherData"]["lost"]
marks = [e for e in trace["traceEvents"] if e["ph"] == "i" and e["name"] == "events lost"]
marked = sum(e["args"]["number"] for e in marks)
print(f"{trace['otherData']['events']} events, {lost} lost, {marked} marked in {len(marks)} places")
wrong = lost == 0 or marked != lost
tracks = defaultdict(list)
for e in trace["traceEvents"]:
    if e["ph"] == "X":
        tracks[e["pid"], e["tid"]].append((round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)))
for key, spans in tracks.items():
    spans.sort()
    for (b1, e1), (b2, e2) in zip(spans, spans[1:]):
        if b2 < e1 - 1:
            print(f"overlap on track {key}: {b1}-{e1} {b2}-{e2}")
            wrong = True
            break
# Where nothing is known, nothing is drawn: no vproc's span goes on over a gap.
for m in marks:
    at = round(m["ts"] * 1000)
    wrong |= any(b < at - 1 and at < e - 1 for b, e in tracks[1, m["tid"]]) if m["pid"] == 1 else False
sys.exit(wrong)
PY
kill -0 $tool 2>/dev/null || fail 'the tool does not wait for its program'

expect 0 "$UPCALL" trace -i "$dir/t.json" --summary
says 'more are LOST'
kill -CONT $tool
pkill -9 -P $tool
wait $tool
[ $? -eq 137 ] || fail 'the status is not that of the program'
exit 0
