#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The peers that were built know what they are asked for, or say with 77 that they do not.
. "$(dirname "$0")/lib.sh"

of_papers() {
	for row in table-1/lock table-3/thread table-4/yield start/first-thread; do
		[ "$name $row" != 'go start/first-thread' ] || continue
		expect 0 taskset -c 0 "$peer" myth/${row%/*} 0.01 "$name"
		grep -qE "^${row#*/} [0-9.e+]+ ns\$" "$dir/out" || fail "$name: no $row of myth"
	done
	for table in '3 yield-alone yield mutex condition create-exit-join' '4 thread' '5 condition' '6 create mutex condition'; do
		expect 0 taskset -c 0 "$peer" "dgux/table-${table%% *}" 0.01 "$name"
		for metric in ${table#* }; do
			grep -qE "^$metric [0-9.e+]+ ns\$" "$dir/out" || fail "$name: no $metric of dgux, table $table"
			[ "${table%% *}" != 3 ] || grep -qE "^$metric/syscall [0-9.e+-]+ x\$" "$dir/out" || fail "$name: no multiple of $metric"
		done
	done
	if [ "$name" = pth ]; then
		expect 77 taskset -c 0 "$peer" psyche/gauss 0.01 pth
		says 'note threads that wait for each other at every step take minutes'
	else
		for program in gauss/ms sort/ms gauss-4/% gauss-1/%; do
			expect 0 timeout 60 taskset -c 0 "$peer" "psyche/${program%/*}" 0.01 "$name"
			grep -qE "^- [0-9.e+]+ ${program#*/}\$" "$dir/out" || fail "$name: no figure of psyche, $program"
		done
	fi
	for none in myth/table-5 dgux/table-2 psyche/phases psyche/gauss- echo/many papers/table-1; do
		expect 77 timeout 60 taskset -c 0 "$peer" $none 0.01 "$name"
	done
}

for peer in "$BUILD"/bench/peers/*; do
	[ -f "$peer" ] && [ -x "$peer" ] || continue
	name=${peer##*/}
	expect 0 taskset -c 0 "$peer" yield 0.01 "$name"
	grep -qE '^- [0-9.e+]+ ns$' "$dir/out" || fail "$name: no figure"
	expect 0 taskset -c 0 "$peer" ping-pong-4 0.01 "$name"
	grep -qE '^- [0-9.e+]+ ns$' "$dir/out" || fail "$name: no figure for ping-pong-4"
	expect 0 taskset -c 0 "$peer" contended 0.01 "$name"
	grep -qE '^least [0-9.e-]+ of-mean$' "$dir/out" || fail "$name: nothing of who got least"
	# A tree of which all threads would be there at a time is too much for pth.
	if [ "$name" = pth ]; then
		expect 77 taskset -c 0 "$peer" spawn-tree-20 0.01 "$name"
		says 'note 21891 threads at a time are too many for it'
	else
		expect 0 taskset -c 0 "$peer" spawn-tree-20 0.01 "$name"
		grep -qE '^peak [0-9.e+]+ kB$' "$dir/out" || fail "$name: no memory of a tree"
	fi
	if [ "$name" = native ]; then		# pingpong and scale have programs of their own for it
		awk '$1 == "peak" && $2 > 16000 { exit 1 }' "$dir/out" || fail 'a tree as broad as it is long'
		expect 77 "$peer" 100 0.01 native
		continue
	fi
	expect 0 taskset -c 0 "$peer" 100 0.01 "$name"
	for metric in create wake-join; do
		grep -qE "^$metric [0-9.e+]+ ns\$" "$dir/out" || fail "$name: no $metric of scale"
	done
	for metric in resident page-tables memory; do
		grep -qE "^$metric [0-9.e+-]+ bytes\$" "$dir/out" || fail "$name: no $metric of scale"
	done
	expect 0 taskset -c 0 "$peer" test-3 0.01 "$name"
	grep -qE '^play [0-9.e+]+ ms$' "$dir/out" || fail "$name plays no ping-pong"
	expect 77 "$peer" test-7 0.01 "$name"
	of_papers
	expect 77 "$peer" no-such-case 0.01 "$name"
	expect 2 "$peer" yield
done
exit 0
