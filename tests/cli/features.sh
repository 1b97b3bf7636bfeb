#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `upcall features`: each feature has a verdict with a reason; UPCALL_DISABLE is honoured.
. "$(dirname "$0")/lib.sh"

# row FEATURE: its line without the name; the table has one for each.
row() {
	sed -n "s/^$1  *//p" "$dir/out"
}

expect 0 "$UPCALL" features
is_silent
for feature in perf alarm monitor bpf sched_ext epoll io_uring nowait fsgsbase guard slice spin share rseq rseq_slice \
	membarrier; do
	row $feature | grep -qE '^(yes|no) +(yes|no) +[^ ].*' || fail "no verdict on $feature"
done
row epoll | grep -q '^yes' || fail 'epoll is everywhere'
row bpf | grep -qE '^no +no +upcalld is not running' || fail 'bpf without upcalld'
[ "$(row vprocs | cut -d ' ' -f 1)" -ge 1 ] || fail 'no default vprocs'

# What the kernel has and is switched off is available and not in use.
available=$(row perf | cut -d ' ' -f 1)
expect 0 env UPCALL_DISABLE=guard,perf,alarm,fsgsbase,nowait "$UPCALL" features
for feature in perf alarm guard fsgsbase nowait; do
	row $feature | grep -qE '^(yes|no) +no ' || fail "$feature is switched off"
done
row perf | grep -q "^$available " || fail 'what is available does not change'
row monitor | grep -qE '^yes +yes ' || fail 'the monitor serves without perf'
expect 0 env UPCALL_SOURCE=monitor "$UPCALL" features
row perf | grep -qE '^(yes|no) +no ' || fail 'another source was asked for'

# What cannot be switched off does not say that it is.
expect 0 env UPCALL_DISABLE=epoll "$UPCALL" features
complains "not 'epoll': nothing is switched off"
row epoll | grep -q '^yes *yes' || fail 'epoll cannot be switched off'

# The mask of processors.
cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
expect 0 taskset -c "$cpu" "$UPCALL" features
row affinity | grep -q '^1 ' || fail 'one CPU in the mask'
row vprocs | grep -q '^1 ' || fail 'one CPU, one vproc'

expect 0 "$UPCALL" features --json
if command -v python3 >/dev/null; then
	python3 - "$dir/out" <<'PY' || fail 'the JSON'
import json, sys
d = json.load(open(sys.argv[1]))
names = [f["feature"] for f in d["features"]]
assert len(names) == len(set(names)) == 16, names
for f in d["features"]:
    assert isinstance(f["available"], bool) and isinstance(f["in_use"], bool) and f["why"], f
    assert f["available"] or not f["in_use"], f
assert {l["limit"] for l in d["limits"]} >= {"vprocs", "affinity", "cpu_quota"}, d["limits"]
PY
fi
expect 2 "$UPCALL" features --frobnicate
complains "bad option '--frobnicate'"
expect 2 "$UPCALL" features now
complains 'takes no argument'
exit 0
