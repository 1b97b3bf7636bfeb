#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where the system gives no more kernel threads and all that there are have blocked, one line says so, and all come to
# their end.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" -eq 0 ] || skip 'only root can become a user without processes'
compiler=$(command -v cc) || skip 'no C compiler'
"$compiler" -o "$dir/limit" "$(dirname "$0")/process-limit.c" -pthread || fail 'cannot compile'
chmod 755 "$dir"
expect 0 timeout 60 "$UPCALL" run --vprocs=1 "$dir/limit"
complains 'all kernel threads that the system gives are blocked (RLIMIT_NPROC'
