#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Until the second thread starts there is nothing of ours beside the program: no kernel thread, no handler, no
# descriptor; also in one that waits for process-shared objects of a process with threads.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
here=$(cd "$(dirname "$0")" && pwd)
"$compiler" -O1 -o "$dir/one-thread" "$here/one-thread.c" -pthread || fail 'cannot compile'
: >"$dir/err"

# as_on_glibc ARGUMENTS...: in each line of both one kernel thread, and all else the same.
as_on_glibc() {
	expect 0 "$dir/one-thread" "$@"
	mv "$dir/out" "$dir/wanted"
	expect 0 "$UPCALL" run "$dir/one-thread" "$@"
	is_silent
	diff "$dir/wanted" "$dir/out" || fail "not as on glibc"
	[ "$(grep -c ': tasks 1, ' "$dir/out")" -eq "$(wc -l <"$dir/out")" ] || fail 'more than one kernel thread'
}
as_on_glibc alone
says 'exit: tasks 1,'

# beside_threads COMMAND...: the same of one that is run so beside another process of threads.
beside_threads() {
	rm -f "$dir/shared"
	expect 0 "$dir/one-thread" make "$dir/shared"
	"$UPCALL" run --stats="$dir/stats" "$dir/one-thread" threads "$dir/shared" >"$dir/count" 2>&1 &
	expect 0 "$@" "$dir/one-thread" wait "$dir/shared"
	wait $! || fail "the process with threads: $(cat "$dir/count")"
	grep -qx 'count 1500' "$dir/count" || fail "$(cat "$dir/count")"
	awk '$1 == "threads" && $2 > 5 { found = 1 } END { exit !found }' "$dir/stats" || fail 'no threads there'
}
beside_threads
mv "$dir/out" "$dir/wanted"
beside_threads "$UPCALL" run
is_silent
diff "$dir/wanted" "$dir/out" || fail 'not as on glibc, beside threads'
[ "$(grep -c ': tasks 1, ' "$dir/out")" -eq 3 ] || fail 'more than one kernel thread, beside threads'
exit 0
