#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Beside another process that computes, a program is told that it loses its processor: by perf, and by upcalld.
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1

beside_hog() {	# SOURCE; on a slow machine upcalld may have answered too late for it
	for _ in 1 2 3 4 5; do
		UPCALL_SOURCE=$1 run 60 "$helpers/computes" 1500 hog || fail "$1: status $?"
		grep -q "upcalls.preempted.$1 " "$dir/stats" && break
	done
	[ "$(counter "upcalls.preempted.$1")" -ge 10 ] ||
		fail "$1: $(counter "upcalls.preempted.$1") preemptions: $(tr -s ' \n' ' ' <"$dir/stats")"
}

"$UPCALL" features | grep -q '^perf .*yes' && beside_hog perf
start_daemon
beside_hog bpf
