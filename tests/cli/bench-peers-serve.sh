#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The peers that were built are servers in `upcall bench echo`, of more than 1,024 connections, too, but for one that says so.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3'

servers=
for peer in "$BUILD"/bench/peers/*; do
	[ -f "$peer" ] && [ -x "$peer" ] || continue
	case ${peer##*/} in
	fiber | native) expect 77 "$peer" echo/100 0.01 "${peer##*/}" ;;
	*) servers=$servers,${peer##*/} ;;
	esac
done
[ -n "$servers" ] || skip 'no peers with a server'

expect 0 "$UPCALL" bench --quick --runs=1 --json --peers="${servers#,}" echo/100
python3 - "$dir/out" "${servers#,}" <<'X' || fail 'a server of these gave no figures'
import json, sys
rows = {(r["case"], r["system"]): r["median"] for r in json.load(open(sys.argv[1])) if r["runs"]}
for peer in sys.argv[2].split(","):
    for metric in "per-cpu-second", "throughput", "p99", "resident":
        assert ("100 " + metric, peer) in rows, (metric, peer)
    assert rows["100 throughput", peer] > 0, peer
X

# One that selects has 1,024 descriptors, and says so.
for name in $(echo "$servers" | tr , ' '); do
	timeout 60 taskset -c 0 "$BUILD/bench/peers/$name" echo/5000 1 "$name" >"$dir/log" 2>&1 &
	server=$!
	if [ "$name" = pth ]; then
		wait $server
		[ $? -eq 77 ] && grep -qx 'note 5000 connections are too many for it' "$dir/log" || fail 'pth serves 5,000'
		continue
	fi
	for _ in $(seq 100); do
		grep -q ^listening "$dir/log" && break
		sleep 0.1
	done
	[ "$(ulimit -Hn)" != unlimited ] && [ "$(ulimit -Hn)" -lt 1300 ] ||
		expect 0 timeout 50 "$BUILD/bench/echo-load" --port="$(sed -n 's/^listening.*://p' "$dir/log")" --connections=1200 \
			--warmup=0 --seconds=1
	kill $server
done
exit 0
