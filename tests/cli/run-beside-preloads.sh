#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Libraries that programs are commonly given by LD_PRELOAD work beside ours: three allocators, with
# threads that fork, load libraries, come and go, also while a timer jumps out of waits; and libfaketime, whose
# clocks are the program's: set elsewhere, faster, slower, or standing still.
. "$(dirname "$0")/lib.sh"
tests=$BUILD/tests/posix
jumps=$BUILD/tests/stress/timer-jumps
[ -x "$jumps" ] || { echo "failed: $jumps is not built"; exit 1; }
seed=${SEED-$(date +%s)}

found() {	# the file of a library, if the dynamic linker finds it
	ldconfig -p 2>/dev/null | sed -n "s/.*[ \t]$1 .*=> //p" | head -n 1
}

missing=
for library in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
	path=$(found "$library")
	[ -n "$path" ] || { missing="$missing $library"; continue; }
	for name in fork-while-others-use-malloc fork-from-threads-while-others-use-malloc fork-grandchildren \
		fork-child-may-make-threads pthread_create-churn tls-dlopen-while-threads-run malloc-cross-thread-free \
		pthread_atfork-handlers-lock-mutexes cancel-many-at-once; do
		[ -x "$tests/$name" ] || fail "$name is not built"
		for slice in 10ms 2ms; do
			expect 0 env LD_PRELOAD="$path" "$UPCALL" run --slice=$slice "$tests/$name"
		done
	done
	expect 0 env LD_PRELOAD="$path" "$UPCALL" run --slice=2ms "$jumps" "$seed"
done

# waits TIME MS LEAST [SETTING]: waits of MS milliseconds while the program's clocks are those of TIME
waits() {
	expect 0 env "${4-FAKETIME_DONT_FAKE_MONOTONIC=0}" FAKETIME="$1" LD_PRELOAD="$fake" \
		"$UPCALL" run "$dir/clocks" "$2" "$3"
}

fake=/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1
if [ -e "$fake" ]; then
	compiler=$(command -v gcc || command -v cc) || skip "no compiler"
	"$compiler" -O2 -o "$dir/clocks" "$(dirname "$0")/clocks.c" -pthread || fail "cannot compile"
	waits +10d 300 300
	waits -10d 300 300
	waits '-2y x20' 10000 500
	waits '-2y x20' 10000 500 FAKETIME_DONT_FAKE_MONOTONIC=1
	waits '+10d x0.5' 200 400
	waits '2010-01-01 00:00:00' 300 300
	for time in +10d -10d '-2y x2'; do
		expect 0 env FAKETIME="$time" LD_PRELOAD="$fake" "$UPCALL" run --slice=2ms "$jumps" "$seed"
		for name in sigwait-process-signals-to-many timer_create-sigev-signal timer_create-sigev-thread \
			setitimer-real-from-a-thread alarm-replaces-and-tells syscall-futex-by-number; do
			[ -x "$tests/$name" ] || fail "$name is not built"
			expect 0 env FAKETIME="$time" LD_PRELOAD="$fake" "$UPCALL" run "$tests/$name"
		done
	done
	for name in pthread_cond_timedwait-times-out pthread_mutex_timedlock-times-out nanosleep-duration \
		sem_timedwait-times-out sem_clockwait-monotonic clock_nanosleep-absolute \
		pthread_rwlock_clockrdlock-both-clocks; do
		expect 0 env FAKETIME=-10d LD_PRELOAD="$fake" "$UPCALL" run "$tests/$name"
	done
else
	missing="$missing libfaketimeMT.so.1"
fi
[ -z "$missing" ] || skip "not installed:$missing; with the others all went well"
