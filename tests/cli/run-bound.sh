#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# With --bound each thread has a kernel thread, which /proc shows under its gettid number; with --scope those have
# that ask for PTHREAD_SCOPE_SYSTEM; else none has, but where AddressSanitizer or the environment wants it.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
here=$(cd "$(dirname "$0")" && pwd)

"$compiler" -O2 -o "$dir/threads" "$here/one-to-one.c" -pthread || fail 'cannot compile'

all_bound() {
	says 'bound 20 of 20, others 20 of 20'
	says 'one each'
}

none_bound() {
	says 'bound 0 of 20, others 0 of 20'
	says fewer
}

# What only blocks in the kernel may get a kernel thread by itself.
UPCALL_DISABLE=bind
export UPCALL_DISABLE

expect 0 "$dir/threads"
all_bound
expect 0 "$UPCALL" run "$dir/threads"
none_bound
expect 0 "$UPCALL" run "$dir/threads" system
none_bound
expect 0 "$UPCALL" run --bound "$dir/threads"
all_bound
is_silent
expect 0 env UPCALL_BOUND=1 "$UPCALL" run --vprocs=1 "$dir/threads"
all_bound
expect 0 env UPCALL_DISABLE=bind,perf "$UPCALL" run --bound "$dir/threads"
all_bound

expect 0 "$UPCALL" run --scope "$dir/threads" system
says 'bound 20 of 20, others 0 of 20'
says fewer
expect 0 env UPCALL_SCOPE=1 "$UPCALL" run --vprocs=1 "$dir/threads" system
says 'bound 20 of 20, others 0 of 20'
expect 0 "$UPCALL" run --scope "$dir/threads"
none_bound
expect 0 "$UPCALL" run --scope --bound "$dir/threads" system
all_bound

# It follows threads by their kernel threads.
if "$compiler" -fsanitize=address -o "$dir/asan" "$here/one-to-one.c" -pthread 2>/dev/null &&
	ASAN_OPTIONS=detect_leaks=0 "$dir/asan" >/dev/null 2>&1; then
	expect 0 env ASAN_OPTIONS=detect_leaks=0 "$UPCALL" run "$dir/asan"
	all_bound
fi
exit 0
