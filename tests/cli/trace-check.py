# SPDX-License-Identifier: BSD-2-Clause
"""usage: trace-check.py FILE SUMS: is FILE, of traced.c with 1000 rounds and 4 computers, what the
viewer reads, and what the program did?  SUMS: what --json said."""
import json
import sys
from collections import Counter, defaultdict

failures = []


def check(condition, text):
    if not condition:
        failures.append(text)


trace = json.load(open(sys.argv[1]))
sums = json.load(open(sys.argv[2]))
events = trace["traceEvents"]
number = (int, float)

# The format, event by event: what Perfetto's importer of Chrome's JSON asks for.
required = {
    "X": {"ts": number, "dur": number, "name": str, "pid": int, "tid": int, "args": dict},
    "i": {"ts": number, "name": str, "pid": int, "tid": int, "s": str},
    "s": {"ts": number, "id": int, "name": str, "cat": str, "pid": int, "tid": int},
    "f": {"ts": number, "id": int, "name": str, "cat": str, "pid": int, "tid": int, "bp": str},
    "M": {"name": str, "pid": int, "args": dict},
}
for e in events:
    if e.get("ph") not in required:
        check(False, f"unknown phase {e}")
        continue
    for key, kind in required[e["ph"]].items():
        if not isinstance(e.get(key), kind):
            check(False, f"{key} is missing or wrong in {e}")
    if e.get("ts", 0) < 0 or e.get("dur", 0) < 0:
        check(False, f"negative time in {e}")

# Spans of a track do not overlap.  Times are read as whole nanoseconds.
ns = lambda us: round(us * 1000)
tracks = defaultdict(list)
for e in events:
    if e["ph"] == "X":
        tracks[e["pid"], e["tid"]].append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e))
for key, spans in tracks.items():
    spans.sort(key=lambda s: s[:2])
    for (b1, e1, x), (b2, e2, y) in zip(spans, spans[1:]):
        if b2 < e1:
            check(False, f"overlap on track {key}: {x} {y}")
            break

# A thread's spans follow one another without a hole, from its first to its last.
for (pid, tid), spans in tracks.items():
    if pid == 2:
        holes = [(a, b) for a, b in zip(spans, spans[1:]) if b[0] > a[1]]
        check(not holes, f"thread {tid} has {len(holes)} holes, as between {holes[:1]}")

# A vproc's track says at each moment what the threads' tracks say.
on_vproc = Counter()
for (pid, tid), spans in tracks.items():
    for b, e, x in spans:
        if pid == 1 and "thread" in x["args"]:
            on_vproc[tid, x["args"]["thread"], b, e] += 1
        if pid == 2 and "vproc" in x["args"]:
            on_vproc[x["args"]["vproc"], tid, b, e] -= 1
check(not any(on_vproc.values()), "vprocs' and threads' tracks differ")

# Arrows come in pairs, each end inside a span of its track, the second not before the first.
def inside(e):
    t = ns(e["ts"])
    return any(b <= t <= end for b, end, _ in tracks[e["pid"], e["tid"]])


arrows = defaultdict(dict)
for e in events:
    if e["ph"] in "sf":
        check(e["ph"] not in arrows[e["id"]], f"arrow {e['id']} twice")
        arrows[e["id"]][e["ph"]] = e
for number_, a in arrows.items():
    if set(a) != {"s", "f"} or a["s"]["ts"] > a["f"]["ts"]:
        check(False, f"arrow {number_} is no pair: {a}")
for a in list(arrows.values())[::7]:
    check(inside(a["s"]) and inside(a["f"]), f"arrow {a} begins or ends nowhere")

# What the program did.
names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name" and e["pid"] == 2}
check(Counter(names.values()) == Counter({"main": 1, "locker": 1, "sleeper": 1, "reader": 1, "player0": 1, "player1": 1,
                                          "owner": 4, "computer()": 4}), f"names: {names}")


def spans_of(name, state):
    return [(b, e, x["args"]) for (pid, tid), spans in tracks.items() if pid == 2 and names[tid] == name
            for b, e, x in spans if x["args"]["state"] == state]


def total_ms(name, state):
    return sum(e - b for b, e, _ in spans_of(name, state)) / 1e6


check(290 <= total_ms("locker", "kernel"), f"flock took {total_ms('locker', 'kernel')} ms")
check(any(a.get("call") == "flock" for _, _, a in spans_of("locker", "kernel")), "flock is not named")
# With nothing beside it a thread just blocks in the kernel.  On a busy machine it may be kept from the processor when it
# knows already until when it will sleep: then it sleeps less, but does not end sooner.
slept = total_ms("sleeper", "parked") + total_ms("sleeper", "kernel")
of_sleeper = [(b, e) for s in ("running", "ready", "parked", "kernel") for b, e, _ in spans_of("sleeper", s)]
lasted = (max(e for _, e in of_sleeper) - min(b for b, _ in of_sleeper)) / 1e6
check(50 <= slept and 100 <= lasted, f"the sleeper slept {slept} of {lasted} ms")
# It may block for a moment elsewhere too, as anybody may.
reads = [a for b, e, a in spans_of("reader", "parked") + spans_of("reader", "kernel") if e - b >= 50e6]
check([(a.get("kind"), a.get("symbol", "")[:3], a.get("symbol", "")[-4:]) for a in reads] == [("io", "fd ", "read")]
      or [a.get("call") for a in reads] in (["read"], ["readv"]), f"reads: {reads}")
# On one processor, when others have the other, all four have their 60 ms at the same time.
check(total_ms("computer()", "running") >= 50, "the computers did not compute")
check(len(spans_of("owner", "parked") + spans_of("owner", "kernel")) >= 100, "the owners did not sleep 100 times")
hot = [a for _, _, a in spans_of("owner", "parked") if a.get("symbol") == "hot_lock"]
check(len(hot) >= 40, f"hot_lock was waited for {len(hot)} times")
players = {tid for tid, name in names.items() if name.startswith("player")}
for tid in players:
    mine = [x["args"] for _, _, x in tracks[2, tid]]
    waits = [a for a in mine if a["state"] == "parked" and a["kind"] == "cond"]
    check(950 <= len(waits) <= 1001, f"player {tid} waited {len(waits)} times")
    wakers = Counter(a.get("by") for a in mine if a["state"] == "ready" and a.get("why") == "woken")
    other = (players - {tid}).pop()
    check(wakers[other] >= 950, f"player {tid} was woken by {wakers}")
creators = {a.get("by") for name in set(names.values()) - {"main"} for _, _, a in spans_of(name, "ready")
            if a.get("why") == "created"}
check(creators == {1}, f"created by {creators}")
ups = Counter(e["name"] for e in events if e["ph"] == "i")
check(ups["blocked"] >= 1 and ups["unblocked"] >= 1, f"upcalls: {ups}")

# The sums are those of the spans.
check(sums["lost"] == 0 and trace["otherData"]["lost"] == 0, "events were lost")
locks = {g.get("symbol"): g for g in sums["locks"]}
check(sums["locks"][0].get("symbol") == "hot_lock", "hot_lock is not the hottest")
check(len(locks["hot_lock"]["waiters"]) == 4, f"waiters: {locks['hot_lock']['waiters']}")
for state in ("running", "ready", "parked", "kernel"):
    mine = sum(e - b for (pid, _), spans in tracks.items() if pid == 2 for b, e, x in spans
               if x["args"]["state"] == state)
    check(mine == sums["states"][state + "_ns"], f"{state}: {mine} is not {sums['states'][state + '_ns']}")
ready = sorted(e - b for (pid, _), spans in tracks.items() if pid == 2 for b, e, x in spans
               if x["args"]["state"] == "ready" and x["args"].get("why") != "before")
check(ready[len(ready) // 2] == sums["latency"]["p50_ns"] and ready[-1] == sums["latency"]["longest_ns"]
      and len(ready) == sums["latency"]["times"], "latencies differ")

for text in failures[:20]:
    print(text)
sys.exit(1 if failures else 0)
