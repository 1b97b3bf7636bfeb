#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A kernel with sched_ext: upcalld's scheduler, its programs, perf, in one emulated machine.
. "$(dirname "$0")/lib.sh"
[ -x "$BUILD/src/daemon/upcalld" ] || skip 'upcalld is not built: it takes clang, bpftool and libbpf'
get_kernel trixie-backports
put src/daemon/upcalld src/libupcall-pthread.so src/libupcall.so.0 cli/upcall examples/small-threads
[ -x "$BUILD/cli/upcall-look" ] && put cli/upcall-look
put tests/kernel/blocks tests/kernel/computes tests/kernel/crowd
put tests/vm/vm-handoff tests/vm/vm-deferral tests/vm/vm-held tests/vm/vm-vprocs tests/vm/vm-warned
put_tests posix 'pthread_cond_wait-*' 'pthread_create-*' 'cancel-read*' 'sem_wait-*' 'pthread_kill-*'
put_tests native nopreempt reports reports-wait
put_tests stress kernel-blocks create-join-churn

cat >"$tree/suite.sh" <<'TXT'
. /inside.sh
# blocks SOURCE KIND [USER]: what blocks in the kernel, unseen by any library, is told of by that source.
blocks() {
	user=${3-root}
	cd /tmp && rm -rf stats fifo lock
	UPCALL_VPROCS=1 UPCALL_STATS=/tmp/stats timeout 50 su $user -c \
		"exec /b/cli/upcall run --source=$1 -- /b/tests/kernel/blocks $2 100" || return
	told=$(sed -n "s/.*upcalls.blocked.$1 *//p" stats)
	echo "$told of 100 blocks of $(stat -c %U stats)'s told by $1"
	[ "${told:-0}" -ge 50 ] && [ "$(stat -c %U stats)" = $user ]
}
admitted() {
	/b/src/daemon/upcalld --status | sed -n 's/.*processes: \([0-9]*\) of.*/\1/p'
}
are_admitted() {
	[ "$(admitted)" = "$1" ]
}
# killed COMMAND...: it says so when it is blocked, or held, and is killed; it ends, nothing of it is left in upcalld's
# table, and the next one is served.
killed() {
	wait_for are_admitted 0 || return
	"$@" >/tmp/held 2>&1 &
	victim=$!
	wait_for grep held /tmp/held || return
	sleep 0.5
	are_admitted 1 || { echo "admitted before it is killed: $(admitted)"; return 1; }
	kill -9 $victim
	wait_for sh -c "! kill -0 $victim" && blocks sched_ext futex && state_is enabled || return
	wait_for are_admitted 0 || { echo "admitted after it is killed: $(admitted)"; return 1; }
}
# Two programs on one processor, which the scheduler gives to each in turn.
preempted() {
	cd /tmp && rm -f stats
	taskset 2 /b/cli/upcall run --source=sched_ext -- /b/tests/kernel/computes 6000 &
	one=$!
	UPCALL_STATS=/tmp/stats taskset 2 /b/cli/upcall run --source=sched_ext -- /b/tests/kernel/computes 6000 &
	two=$!
	sleep 5
	a=$(ticks $one) b=$(ticks $two)
	wait $one && wait $two || return
	told=$(sed -n "s/.*upcalls.preempted.sched_ext *//p" stats)
	echo "told of ${told:-0} losses of the processor; of its ticks each got $a and $b"
	[ "${told:-0}" -ge 20 ] && [ $((a * 2)) -ge $b ] && [ $((b * 2)) -ge $a ]
}
# Nobody is in the class but the program's own threads: neither a plain program beside it, nor anybody else.
stay_outside() {
	taskset 2 /b/cli/upcall run --source=sched_ext -- /b/tests/kernel/computes 4000 &
	program=$!
	taskset 2 /b/tests/kernel/computes 4000 >/tmp/plain &
	plain=$!
	sleep 2
	inside=0 others=
	for file in /proc/[0-9]*/task/[0-9]*/stat; do
		line=$(cat $file 2>/dev/null) || continue
		pid=${file#/proc/} pid=${pid%%/*}
		set -- ${line##*) }
		[ "${39}" = 7 ] || continue	# its policy
		[ $pid = $program ] && inside=$((inside + 1)) || others="$others $pid"
	done
	wait $program && wait $plain && grep -q done /tmp/plain || return
	echo "$inside threads of the program's in the class, of others:${others:- none}"
	[ $inside -gt 0 ] && [ -z "$others" ] && [ "$(cat /sys/kernel/sched_ext/switch_all)" = 0 ]
}
# Who tells a program that lives, and of how many blocks so far.
told_of() {
	/b/cli/upcall stats $program | sed -n 's/.*upcalls\.blocked\.\([^ ]*\) *\([0-9]*\).*/\1 \2/p'
}
is_told_by() {
	set -- $1 $(told_of)
	[ "$1" = "$2" ]
}
goes_on() {
	set -- $(told_of)
	more() {
		set -- $1 $(told_of)
		[ "$3" -gt $(($1 + 20)) ]
	}
	wait_for more $2
}
# It is told by perf when upcalld is killed, and by sched_ext again when that is back; and blocks all the time.
comes_back() {
	[ -x /b/cli/upcall-look ] || { echo 'upcall stats is not built'; return 77; }
	UPCALL_DISABLE=bind UPCALL_VPROCS=1 /b/cli/upcall run -- /b/tests/kernel/blocks futex 100000000 >/dev/null &
	program=$!
	wait_for is_told_by sched_ext && goes_on || return
	stop
	wait_for is_told_by perf && goes_on || return
	start
	wait_for is_told_by sched_ext && goes_on || return
	told_of
	kill $program
}
start() {
	rm -f /tmp/log
	/b/src/daemon/upcalld --sched-ext "$@" 2>>/tmp/log &
	daemon=$!
	wait_for grep -q ready /tmp/log
}
stop() {
	kill -9 $daemon
	wait $daemon 2>/dev/null
}
for source in perf; do check "$source" blocks $source futex; done

# A thread that computes, beside another program on its processor.
warned() {
	taskset 2 /b/cli/upcall run --source=sched_ext -- /b/tests/kernel/computes 6000 >/dev/null &
	rival=$!
	UPCALL_SOURCE=sched_ext timeout 60 taskset 2 /b/tests/vm/vm-warned 4000
	status=$?
	wait $rival
	return $status
}

start --per-user=400
check 'the scheduler is loaded' state_is enabled
for kind in futex fifo flock fault; do check "sched_ext $kind" blocks sched_ext $kind; done
check 'sched_ext futex, as nobody' blocks sched_ext futex nobody
check 'bpf futex' blocks bpf futex
check 'a client is killed while it is blocked' killed /b/cli/upcall run --source=sched_ext -- /b/tests/kernel/crowd 20
check 'and while it is held' killed /b/tests/vm/vm-held spare
check 'the spare runs in the very next switch' timeout 60 /b/tests/vm/vm-handoff
for case in fair cheat owing critical warned yields rubbish; do check "two on one processor" timeout 60 /b/tests/vm/vm-deferral $case; done
for case in spare owner anew astride strangers; do check 'whoever is held has a turn' timeout 60 /b/tests/vm/vm-held $case; done
check 'there are vprocs for who comes' timeout 60 /b/tests/vm/vm-held again
check 'there are no more vprocs than there are' timeout 150 /b/tests/vm/vm-vprocs
check 'preempted, sched_ext' preempted
check 'warned, sched_ext' warned
check 'who is not admitted stays outside' stay_outside
check 'the small package, sched_ext' timeout 60 /b/examples/small-threads sched_ext
check 'the small package, bpf' timeout 60 /b/examples/small-threads bpf
check 'the small package, perf' timeout 60 /b/examples/small-threads perf
all 'posix, sched_ext' /b/tests/posix
all 'native, sched_ext' /b/tests/native
all 'stress, sched_ext' /b/tests/stress
check 'the scheduler is still loaded' state_is enabled

# The kernel throws the scheduler out: the programs go on.
/b/examples/small-threads sched_ext >/tmp/small 2>&1 &
small=$!
wait_for grep -q source /tmp/small
echo S >/proc/sysrq-trigger
check 'a program goes on when the scheduler is ejected' wait_for sh -c "! kill -0 $small"
check 'and ends well' grep -q 'vprocs taken over' /tmp/small
check 'the scheduler is ejected' wait_for state_is disabled
check 'bpf serves instead' blocks bpf futex
stop

# Or its watchdog does, for a thread that it has been told to schedule has not run for 30 seconds.  It looks each 15 s.
# If the hog has interrupted a reader of RCU, the kernel says so after 21 s, and cannot end the scheduler before that has gone on.
rcu_stalls() {
	dmesg | grep -c 'rcu: INFO: .* stalls*'
}
start
check 'the scheduler is loaded anew' wait_for state_is enabled
is_told_of_stall() {
	state_is disabled || [ "$(rcu_stalls)" -gt $before ]
}
stall() {
	echo -1 >/proc/sys/kernel/sched_rt_runtime_us
	mount -t debugfs debugfs /sys/kernel/debug
	for share in /sys/kernel/debug/sched/*_server/cpu1/runtime; do echo 0 >$share; done
	taskset 2 /b/cli/upcall run --source=sched_ext -- /b/tests/kernel/computes 3000 >/tmp/stalled 2>&1 &
	program=$!
	sleep 1
	taskset 2 /b/tests/kernel/computes 120000 fifo &
	hog=$!
	before=$(rcu_stalls)
	for i in 1 2 3; do
		wait_for is_told_of_stall && break
	done
	kill -9 $hog
	wait_for state_is disabled && wait_for sh -c "! kill -0 $program" && grep -q done /tmp/stalled &&
		dmesg | grep -i 'sched_ext:.*\(runnable task stall\|RCU CPU stall\)'
}
check 'the watchdog ejects it, and a program goes on' stall
stop

# And when the daemon is killed.
start
check 'the scheduler is loaded again' wait_for state_is enabled
check 'a program comes back to it' comes_back
UPCALL_VPROCS=1 /b/cli/upcall run --source=sched_ext -- /b/tests/kernel/blocks futex 1500 >/tmp/blocks 2>&1 &
program=$!
sleep 1
kill -9 $daemon
check 'a program goes on when upcalld is killed' wait_for sh -c "! kill -0 $program"
check 'and has done all that it had to' grep -q done /tmp/blocks
check 'its scheduler is gone' wait_for state_is disabled
check 'perf serves instead' blocks perf futex
check 'the kernel complains of nothing' no_complaints
end_checks
TXT
"$here/boot" -t 470 "$kernel" "$tree" 'sh /suite.sh'
