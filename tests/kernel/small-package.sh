#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The second threads system (examples/kernel), told by perf and by upcalld's programs: what it checks itself, page faults
# with it, and how many of its kernel threads run, and whether a processor idles, by the kernel's account.
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1
small=$BUILD/examples/small-threads

# small SOURCE VPROCS: on so many processors.
small() {
	local cpus=$first_cpu
	[ "$2" -eq 1 ] || cpus=$(taskset -cp $$ | sed 's/.*: *//')
	taskset -c "$cpus" "$small" "$1" 20 >"$dir/out" 2>"$dir/err" &	# it ends by itself, at the latest after 100 s
	local pid=$!
	"$helpers/observe" $pid "$2" >"$dir/seen"
	local seen=$?
	wait $pid
	local got=$?
	[ $got -eq 77 ] && skip "$(tail -n 1 "$dir/out")"
	cat "$dir/out" "$dir/seen"
	[ $got -eq 0 ] || fail "$1, $2 vprocs: status $got"
	[ $seen -eq 0 ] || fail "$1, $2 vprocs: $(cat "$dir/seen")"
}

all=$(nproc)
[ "$all" -le 4 ] || all=4	# as many as it makes
[ "$("$UPCALL" features | awk '$1 == "perf" { print $2 }')" != yes ] || {
	small perf 1
	small perf "$all"
}
start_daemon
small bpf 1
small bpf "$all"
kill -0 "$daemon" || fail 'upcalld has died'
exit 0
