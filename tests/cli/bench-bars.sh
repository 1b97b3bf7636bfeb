#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The programs of upcall bench say what their figures are to be: for the systems that it is asked of, where it is.
. "$(dirname "$0")/lib.sh"
micro=$BUILD/bench/micro native=$BUILD/bench/peers/native upcalls=$BUILD/bench/upcalls

# bars CPUS PROGRAM CASE SYSTEM [BOUND...]: just these, of a run on one processor or `all`.
bars() {
	cpus=$1 program=$2 of_case=$3 system=$4
	shift 4
	on=
	[ "$cpus" = all ] || on="taskset -c $cpu"
	# shellcheck disable=SC2086
	expect 0 $on "$program" "$of_case" "${seconds:-0.01}" "$system"
	sed -n 's/^bound //p' "$dir/out" >"$dir/bars"
	for bar; do
		echo "$bar"
	done | cmp -s - "$dir/bars" || fail "$program $of_case on $system, $cpus: $(cat "$dir/bars")"
}
cd "$dir" || exit 1
cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')

bars 1 "$micro" create-join glibc
bars 1 "$micro" create-join upcall '- 150 ns at-most' '- 0.01 ns at-most glibc'
bars 1 "$micro" lock upcall '- 1 ns at-most glibc'
bars 1 "$micro" contended upcall 'least 0.25 of-mean at-least'
bars 1 "$native" batch native '- 1 ns at-most peers'
bars 1 "$native" yield native '- 0.8 ns at-most libfibre'
bars 1 "$native" lock native '- 1.05 ns at-most go'
if [ "$(nproc)" -gt 1 ]; then
	bars all "$micro" create-join upcall
	bars all "$micro" contended upcall '- 1.5 Mop/s at-least glibc' 'least 0.25 of-mean at-least'
	bars all "$native" semaphore native
	bars all "$native" contended native '- 0.93 Mop/s at-least argobots' 'least 0.25 of-mean at-least'
fi

seconds=0.2	# ten times that, on a busy machine, is enough for the hundred blocks that are to be judged
bars 1 "$upcalls" futex hand-off
bars 1 "$upcalls" futex upcall-monitor
bars 1 "$upcalls" futex upcall-perf 'p50 1.15 us at-most hand-off'
bars 1 "$upcalls" futex upcall-sched_ext 'p50 0.9 us at-most hand-off'
seconds=1	# each block waits for a slice of the hog's, and of others'
bars 1 "$upcalls" futex-hog upcall-bpf 'p50 2 us at-most hand-off' 'p99 10000 us at-most'
seconds=
bars 1 "$upcalls" switch-other upcall-perf '- 150 ns at-most above glibc'
bars 1 "$upcalls" switch-other upcall-bpf '- 250 ns at-most above glibc'
bars 1 "$upcalls" switch-own upcall-bpf
bars 1 "$upcalls" compute glibc
bars 1 "$upcalls" compute upcall-monitor 'step 1.005 ns at-most glibc'

bars 1 "$BUILD/bench/scale" 10000 glibc
bars 1 "$BUILD/bench/scale" 10000 upcall 'resident 10240 bytes at-most' 'page-tables 4300.8 bytes at-most'
bars 1 "$BUILD/bench/scale-native" 1000 native
bars 1 "$BUILD/bench/scale-native" 10000 native 'memory 4300 bytes at-most'
exit 0
