#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a child of fork has of the runtime is its parent's memory, which it leaves alone as far as it can: each page that it
# writes is copied first.  So many page faults more than on glibc, and no more for each thread, may a child take that ends at once.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
compiler=$(command -v cc) || skip 'no C compiler'
"$compiler" -O2 -pthread -o "$dir/forks" "$here/forks.c" || fail 'cannot compile'

# most MORE THREADS [PER_THREAD]
most() {
	there=$(timeout 60 "$dir/forks" "$2") || fail "glibc: status $?"
	here_=$(timeout 60 "$UPCALL" run "$dir/forks" "$2") || fail "status $?"
	limit=$((there + $1))
	[ "$here_" -le $limit ] || fail "$2 threads: $here_ page faults a child, not $limit; on glibc $there"
}

most 12 0
most 35 1
most 45 20
