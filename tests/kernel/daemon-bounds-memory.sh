#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Pages that a user's process keeps when it is admitted anew count against its user; others are not touched by it.
. "$(dirname "$0")/lib.sh"
start_daemon --per-user=2
cd "$dir" || exit 1
setpriv --reuid=65534 --clear-groups "$helpers/client" hoard >"$dir/out" || fail 'a hoarder'
grep -q 'then: --per-user: .*still mapped' "$dir/out" || fail 'no reason'
free() { status | grep -q 'processes: 0 of'; }
eventually free
for user in 65533 65534; do
	setpriv --reuid=$user --clear-groups "$helpers/client" page >"$dir/out" || fail "user $user after it"
done
