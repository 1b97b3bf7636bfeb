#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Without a descriptor for who connects, upcalld waits instead of computing, and serves when there are some again.
. "$(dirname "$0")/lib.sh"
start_daemon
cd "$dir" || exit 1

lowest_free() {
	local fd=0
	while [ -e "/proc/$daemon/fd/$fd" ]; do
		fd=$((fd + 1))
	done
	echo $fd
}

ticks() {	# that it has computed
	awk '{ print $14 + $15 }' "/proc/$daemon/stat"
}

"$helpers/client" page >"$dir/out" || fail 'with descriptors'
limit=$(ulimit -Hn)
sleep 1		# until it has all of its pages
prlimit --pid "$daemon" --nofile="$(lowest_free):$limit" || fail 'prlimit'
"$helpers/client" page >"$dir/out" && fail 'without descriptors'
before=$(ticks)
sleep 2
spent=$(($(ticks) - before))
[ "$spent" -lt $(($(getconf CLK_TCK) / 10)) ] || fail "it computed for $spent ticks in two seconds"
grep -q 'accepts nobody for a moment: Too many open files' "$dir/log" || fail 'it says nothing'
prlimit --pid "$daemon" --nofile="$limit:$limit"
is_served() { "$helpers/client" page >"$dir/out"; }
eventually is_served
