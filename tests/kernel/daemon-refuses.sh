#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Full tables and limits of users are refused clearly, and the program runs on perf or the monitor.
. "$(dirname "$0")/lib.sh"
start_daemon --processes=2 --per-user=1
cd "$dir" || exit 1

hold() {	# as USER
	setpriv --reuid="$1" --clear-groups "$helpers/client" hold >"$dir/held.$2" 2>&1 &
	holders[$2]=$!
	eventually grep -q held "$dir/held.$2"
}

hold 65534 1
setpriv --reuid=65534 --clear-groups "$helpers/client" hold >"$dir/out" && fail 'beyond the limit of a user'
grep -q 'refused: --per-user: too many processes of this user' "$dir/out" || fail 'no reason'
hold 0 2
"$helpers/client" hold >"$dir/out" && fail 'a full table'
grep -q 'refused: .*full' "$dir/out" || fail 'no reason'
status | grep -q 'processes: 2 of 2, 2 admitted, 2 refused' || fail "status: $(status)"

run 60 "$helpers/blocks" futex 100 || fail 'a program that was refused'
[ "$(counter upcalls.blocked.bpf)" -eq 0 ] || fail 'refused and told'
[ ! -s "$dir/err" ] || fail 'not silent'

# A client that is killed, blocked as it is, leaves its place.
kill -9 "${holders[1]}" "${holders[2]}"
wait "${holders[1]}" "${holders[2]}" 2>/dev/null
free() { status | grep -q 'processes: 0 of 2'; }
eventually free
run 60 "$helpers/blocks" futex 100 || fail 'after the others'
told_by bpf 1
