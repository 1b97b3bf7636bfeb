#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Debian 12's own kernel, the oldest that must serve well: no guard pages by advice, no time slices.
. "$(dirname "$0")/lib.sh"
get_kernel bookworm
put src/libupcall-pthread.so cli/upcall tests/kernel/blocks examples/small-threads
put_tests posix 'pthread_cond_wait-*' 'pthread_create-*' 'cancel-read*' 'sem_wait-*' 'fork-*' 'pthread_kill-*' \
	'pkey_alloc-*' 'pthread_attr_setguard*' 'pthread_attr_setstack*'
put_tests stress kernel-blocks create-join-churn

cat >"$tree/suite.sh" <<'TXT'
. /inside.sh
uname -r
check 'features' timeout 60 /b/cli/upcall features
check 'the small package, perf' timeout 60 /b/examples/small-threads perf
all 'posix' /b/tests/posix
all 'stress' /b/tests/stress
[ $failed -eq 0 ]
TXT
"$here/boot" -t 130 "$kernel" "$tree" 'sh /suite.sh'
