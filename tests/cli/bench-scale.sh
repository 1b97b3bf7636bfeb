#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upcall bench scale and echo: also on the native API; what the process may not have is not taken.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3'
export TMPDIR="$dir/tmp"
mkdir "$TMPDIR" || exit 1

expect 0 "$UPCALL" bench --quick --runs=1 --json scale/10 scale/100 scale/1000 echo/100
is_silent
python3 - "$dir/out" <<'X' || fail 'the figures'
import json, sys
rows = {(r["bench"], r["case"], r["system"]): r for r in json.load(open(sys.argv[1])) if r["runs"]}
units = {"create": "ns", "resident": "bytes", "page-tables": "bytes", "memory": "bytes", "wake-join": "ns"}
scale = {("scale", f"{n} {m}", s): u for n in (10, 100, 1000) for m, u in units.items() for s in ("glibc", "upcall", "native")}
echo = {("echo", f"100 {m}", s) for m in ("per-cpu-second", "throughput", "p99", "resident")
        for s in ("glibc", "epoll", "upcall", "native")}
assert rows.keys() == scale.keys() | echo, rows.keys() ^ (scale.keys() | echo)
assert all(rows[key]["unit"] == unit for key, unit in scale.items()), rows
assert all(r["median"] > 0 for (b, c, s), r in rows.items() if b == "echo" or "1000 " in c), rows
for system in "glibc", "upcall", "native":
    tables, resident, memory = (rows["scale", "1000 " + m, system]["median"] for m in ("page-tables", "resident", "memory"))
    assert abs(tables + resident - memory) < 1, (system, tables, resident, memory)
# A native thread that waits has a page, where a pthread has a TLS block and libc's part of it besides.
assert rows["scale", "1000 memory", "native"]["ratio_to"]["upcall"] < 0.7, rows["scale", "1000 memory", "native"]
assert rows["echo", "100 throughput", "native"]["ratio_to"].keys() == {"glibc", "epoll", "upcall"}
bars = {k[1:]: [(b["at_least"], b["of"]) for b in r["bounds"]] for k, r in rows.items() if r["bounds"]}
assert bars == {("100 per-cpu-second", "native"): [(1, "epoll")], ("100 throughput", "native"): [(1.05, "epoll")],
                ("100 throughput", "upcall"): [(1, "epoll")]}, bars
X

# As many as fit into its address space, which all end.
(
	ulimit -v 1000000
	exec "$BUILD/bench/scale-native" 100000 1 native
) >"$dir/out" 2>"$dir/err" || fail "status $? in little space"
grep -qE '^note [0-9]{4,5} of 100000 threads: ' "$dir/out" || fail 'no word of the limit'
grep -qE '^wake-join [0-9.]+ ns$' "$dir/out" || fail 'no figures of those that fit'

# Where memory is short, as many as there is room for, and one line says so.
echo 'MemAvailable: 65536 kB' >"$dir/meminfo"
if unshare -m mount --bind "$dir/meminfo" /proc/meminfo 2>/dev/null; then
	# shellcheck disable=SC2016
	expect 0 unshare -m sh -c 'mount --bind "$0" /proc/meminfo && exec "$@"' "$dir/meminfo" \
		"$UPCALL" bench --runs=1 scale/1000000
	is_silent
	for line in 'glibc: 1000' 'upcall: 3000' 'native: 7000'; do
		says "(1000000 on $line of 1000000 threads, as the memory that is left allows)"
	done
	[ "$(grep -c '^  (' "$dir/out")" -eq 3 ] || fail 'more than a line for each'
	grep -qE '^  1000000 page-tables +glibc( +[0-9.,]+){3} +1 +-  bytes' "$dir/out" || fail 'no figures of those that fit'
fi
[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
exit 0
