#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Which descriptors a thread polls is read from its stack: that of one that went on meanwhile says nothing.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
compiler=$(command -v cc) || skip 'no C compiler'
"$compiler" -O1 -pthread -o "$dir/pollers" "$here/pollers.c" || fail 'cannot compile'
"$UPCALL" run "$dir/pollers" &
pid=$!
sleep 1
seen=0
for _ in $(seq 25); do
	"$UPCALL" ps $pid >"$dir/out" 2>"$dir/err" || fail "$(cat "$dir/err")"
	! grep -oE "poll fd .*" "$dir/out" | grep -oE "fd -?[0-9]+" | grep -vE '^fd [0-9]{1,2}$' >"$dir/strange" || fail "$(head -3 "$dir/strange")"
	seen=$((seen + $(grep -c 'io poll' "$dir/out")))
done
kill $pid
[ $seen -gt 0 ] || fail 'nobody was seen to poll'
