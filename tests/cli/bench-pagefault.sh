#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `upcall bench pagefault`: each system does both kinds of work with less memory than the file has, and the
# control group that limits them is gone afterwards.
. "$(dirname "$0")/lib.sh"
export TMPDIR="$dir/tmp"
mkdir "$TMPDIR" || exit 1

expect 0 "$UPCALL" features
grep -qE '^perf +yes' "$dir/out" || skip 'no perf records here'
expect 0 "$UPCALL" bench --quick --runs=1 pagefault/beside
for reason in 'no memory control group' 'of the pages were not in memory'; do
	grep -q "(beside on glibc: .*$reason" "$dir/out" && skip "$reason"
done
# Go is there by itself, the others have to be asked for.
asked=
for peer in may tokio; do
	[ ! -x "$BUILD/bench/peers/$peer" ] || asked=$asked,$peer
done
expect 0 "$UPCALL" bench --quick --runs=1 --json ${asked:+--peers="${asked#,}"} pagefault
is_silent
python3 - "$dir/out" "$BUILD/bench/peers" <<'X' || fail 'the figures'
import json, os, sys
rows = {(r["case"], r["system"]): r for r in json.load(open(sys.argv[1])) if r["runs"]}
systems = {s for _, s in rows}
assert {"glibc", "upcall-perf"} <= systems, systems
for peer in "go", "may", "tokio":
    assert (peer in systems) == os.access(sys.argv[2] + "/" + peer, os.X_OK), (peer, systems)
for system in systems:
    pages, units, work = (rows["beside " + m, system]["median"] for m in ("pages", "compute", "work"))
    assert pages > 0 and units > 0 and abs(pages + units - work) < 1e-4 * work, (system, pages, units, work)
    assert rows["mixed pages", system]["median"] == rows["mixed work", system]["median"] > 0
X
[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
[ -z "$(find /sys/fs/cgroup -name "upcall-bench-*" -newer "$TMPDIR" 2>/dev/null)" ] || fail 'a control group is left'
exit 0
