#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What blocks where no library sees it gives its processor up at once, told by upcalld's programs.
. "$(dirname "$0")/lib.sh"
start_daemon
cd "$dir" || exit 1
rounds=300
for kind in futex fifo flock fault; do
	run 60 "$helpers/blocks" $kind $rounds
	got=$?
	[ $got -eq 77 ] && { cat "$dir/out"; continue; }
	[ $got -eq 0 ] || fail "$kind: status $got"
	# The first is found by the monitor, or the spare was not armed yet; the machine may be busy.
	told_by bpf $((rounds / 2))
done
# An ordinary client's page tells all of it, in order.
"$helpers/client" follow >"$dir/out" || fail 'follow'
