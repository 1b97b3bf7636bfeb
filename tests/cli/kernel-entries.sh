#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How often operations enter the kernel, on average: those between threads, pthreads' and those of the native API, and
# sleeps, next to never; those between processes once to sleep and once to wake.  (A vproc that has nothing to do, and the monitor, enter it now and then.)
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
compiler=$(command -v cc) || skip 'no C compiler'
for program in calls entries sleepers; do
	"$compiler" -O2 -pthread -o "$dir/$program" "$here/$program.c" || fail 'cannot compile'
done

"$compiler" -O2 -o "$dir/native-entries" -I"$root/include" "$here/native-entries.c" -L"$BUILD/src" \
	-Wl,-rpath,"$BUILD/src" -lupcall || fail 'cannot compile'

# count COMMAND...: in $calls its system calls, for a hundred operations.
count() {
	timeout 60 "$dir/calls" "$@" >"$dir/out" 2>"$dir/err"
	status=$?
	[ $status -ne 77 ] || skip "$(cat "$dir/err")"
	[ $status -eq 0 ] || fail "status $status: $*"
	calls=$(awk '$1 == "operations" { n = $2 } $1 == "total" { calls = $2 } END { printf "%d", 100 * calls / n }' \
		"$dir/out")
}

# most N PROGRAM CASE...: on Upcall no more calls than that for a hundred operations.
most() {
	limit=$1
	shift
	for vprocs in 1 2; do
		count "$UPCALL" run --vprocs=$vprocs "$dir/$@"
		[ "$calls" -le "$limit" ] || fail "$calls calls, not $limit: $*, $vprocs vprocs"
	done
}

# native VPROCS LIMIT CASE...
native() {
	UPCALL_VPROCS=$1 limit=$2
	export UPCALL_VPROCS
	shift 2
	for what; do
		count "$dir/native-entries" "$what"
		[ "$calls" -le "$limit" ] || fail "$calls calls, not $limit: native $what, $UPCALL_VPROCS vprocs"
	done
	unset UPCALL_VPROCS
}

count "$dir/sleepers" nanosleep
[ "$calls" -ge 100 ] || fail "on glibc sleeps make $calls calls: this test proves nothing"
count "$dir/entries" local cond
[ "$calls" -ge 50 ] || fail "on glibc turns make $calls calls: this test proves nothing"
for way in nanosleep clock_nanosleep poll select cond sem mutex rwlock; do
	most 50 sleepers $way
done
for what in sem cond barrier; do
	most 5 entries local $what
done
most 1 entries shared
for others in 0 20; do
	most 220 entries sem $others
	most 220 entries barrier $others
	most 420 entries cond $others		# for the mutex, too
done
# (Who yields where no other thread is ready gives way to other programs, so not with two vprocs.)
native 1 5 yield
for vprocs in 1 2; do
	native $vprocs $((vprocs * vprocs * 5)) create create-bare sleep key mutex rwlock cond cond-until sem sem-until \
		barrier event latch channel park park-until
done
exit 0
