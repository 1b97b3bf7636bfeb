#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upcall bench apps/java: the JVM on both systems, and a reason where there is none.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3'
export TMPDIR="$dir/tmp"
mkdir "$TMPDIR" "$dir/bin" || exit 1

for folder in /usr/bin /usr/local/bin; do
	ln -sf "$folder"/* "$dir/bin"
done
rm -f "$dir/bin/java"
expect 0 env PATH="$dir/bin" "$UPCALL" bench --quick --runs=1 apps/java
is_silent
says '(java on glibc: java is missing (package openjdk-17-jdk-headless))'
says '(java on upcall: java is missing (package openjdk-17-jdk-headless))'
for command in java javac; do
	command -v $command >/dev/null || skip "no $command"
done

expect 0 "$UPCALL" bench --quick --runs=1 --json apps/java
is_silent
python3 - "$dir/out" <<'X' || fail 'the rows'
import json, sys
rows = {(r["case"], r["system"]): (r["unit"], r["median"] > 0, r["runs"]) for r in json.load(open(sys.argv[1]))}
assert rows == {("java " + metric, system): (unit, True, 1) for system in ("glibc", "upcall")
                for metric, unit in (("messages", "messages/s"), ("echo", "requests/s"))}, rows
X

# Counters of Upcall's say that these were its threads.
expect 0 javac -d "$dir" "$BUILD/bench/Messages.java"
expect 0 "$UPCALL" run --stats -- java -Xmx256m -cp "$dir" Messages 0.5
grep -qE '^messages [0-9.e+]+ messages/s$' "$dir/out" || fail 'no messages'
grep -qE '^echo [0-9.e+]+ requests/s$' "$dir/out" || fail 'no echo'
awk '$1 == "threads" && $2 >= 600 { found = 1 } END { exit !found }' "$dir/err" || fail 'not on 600 threads of Upcall'
[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
exit 0
