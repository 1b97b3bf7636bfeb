#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Debian 12's own kernel, the oldest that must serve well: no guard pages by advice, no time slices.
. "$(dirname "$0")/lib.sh"
get_kernel bookworm
put src/libupcall-pthread.so cli/upcall tests/kernel/blocks tests/kernel/computes examples/small-threads
put_tests posix 'pthread_cond_wait-*' 'pthread_create-*' 'cancel-read*' 'sem_wait-*' 'fork-*' 'pthread_kill-*' \
	'pkey_alloc-*' 'pthread_attr_setguard*' 'pthread_attr_setstack*'
put_tests stress kernel-blocks create-join-churn

cat >"$tree/suite.sh" <<'TXT'
. /inside.sh
uname -r
# Does a thread of that process run, or want to, on the second processor?
is_on_second() {
	pid=$1
	for file in /proc/$pid/task/*/stat; do
		line=$(cat $file 2>/dev/null) || continue
		set -- ${line##*) }
		[ "$1" = R ] && [ "${37}" = 1 ] && return
	done
	return 1
}
has_had() {
	[ "$(ticks $1)" -gt $2 ]
}
# The second processor goes and comes, twice, below threads that compute and threads that block: they get on all the
# time, and use it when it is there.
hotplug() {
	online=/sys/devices/system/cpu/cpu1/online
	[ -w $online ] || { echo "no $online"; return 77; }
	/b/cli/upcall run -- /b/tests/kernel/computes 30000 >/tmp/computes 2>&1 &
	computes=$!
	/b/cli/upcall run -- /b/tests/stress/kernel-blocks >/tmp/blocks 2>&1 &
	blocks=$!
	wait_for is_on_second $computes || return
	for state in 0 1 0 1; do
		echo $state >$online && [ "$(cat $online)" = $state ] || return
		wait_for has_had $computes $(($(ticks $computes) + 50)) || return
	done
	wait_for is_on_second $computes || return
	kill -0 $computes || { echo 'it ended too soon: nothing was seen'; return 1; }
	wait $blocks || { tail -n 5 /tmp/blocks; return 1; }
	wait $computes && grep -q done /tmp/computes && echo 'off and on twice, and all has been done'
}
# Where a thread that yields goes on for as long as the others have had the processor (CFS), spares, which wait for theirs
# to block, leave most of the time to those that compute all the same.
spares_let_compute() {
	/b/cli/upcall run --vprocs=2 -- /b/tests/kernel/computes 8000 many >/tmp/computes 2>&1 &
	program=$!
	sleep 5
	for file in /proc/$program/task/*/stat; do
		set -- $(sed 's/.*) //' $file)
		echo $((${12} + ${13}))
	done | sort -n >/tmp/ticks
	wait $program && grep -q done /tmp/computes || return
	most=0 rest=0
	for had in $(tail -n 2 /tmp/ticks); do most=$((most + had)); done
	for had in $(head -n -2 /tmp/ticks); do rest=$((rest + had)); done
	echo "two kernel threads had $most ticks, all others $rest"
	[ $most -gt 100 ] && [ $((rest * 3)) -lt $((most * 2)) ]
}
check 'features' timeout 60 /b/cli/upcall features
check 'the small package, perf' timeout 60 /b/examples/small-threads perf
check 'spares leave the processors to threads that compute' spares_let_compute
check 'a processor goes and comes back' hotplug
all 'posix' /b/tests/posix
all 'stress' /b/tests/stress
end_checks
TXT
"$here/boot" -t 200 "$kernel" "$tree" 'sh /suite.sh'
