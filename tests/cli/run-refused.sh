#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where a filter refuses system calls, as in many containers, a program gets through all the same:
# without those that only help there is not a word, without those that user-level threads cannot do
# without there is one line, and kernel threads.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
"$compiler" -o "$dir/refuse" "$(dirname "$0")/refuse.c" || fail 'cannot compile'
[ "$(uname -m)" = x86_64 ] || skip 'numbers of x86_64'
"$dir/refuse" 298 true
[ $? -ne 77 ] || skip 'no seccomp'
for program in mixed producers-consumers; do
	[ -x "$BUILD/tests/stress/$program" ] || skip "no $program"
done

# perf_event_open, membarrier, preadv2, pwritev2, io_uring_setup, sched_setaffinity, sched_setattr,
# futex_waitv, epoll_pwait2, close_range, faccessat2
for number in 298 324 327 328 425 203 314 449 441 436 439; do
	expect 0 timeout 60 "$dir/refuse" $number "$UPCALL" run "$BUILD/tests/stress/mixed"
	is_silent
done
# epoll_create1, epoll_pwait, eventfd2, rt_tgsigqueueinfo, clone (libc has clone3, too, where a container does not refuse it)
"$dir/refuse" 56 "$BUILD/tests/stress/producers-consumers" >/dev/null 2>&1 && clone=56 || clone=
for number in 291 281 290 297 $clone; do
	expect 0 timeout 60 "$dir/refuse" $number "$UPCALL" run "$BUILD/tests/stress/producers-consumers"
	complains 'the program runs on kernel threads'
done
exit 0
