#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A kernel with time-slice extensions: sections that are not to be preempted are let come to their end.
. "$(dirname "$0")/lib.sh"
kernel=$("$here/kernel-with-slices") || { echo "$kernel"; exit 77; }
command -v qemu-system-x86_64 >/dev/null || skip 'no qemu-system-x86_64'
command -v busybox >/dev/null || skip 'no busybox'
put src/libupcall.so.0 src/libupcall-pthread.so cli/upcall tests/vm/vm-sections tests/kernel/computes
put_tests native nopreempt 'park*' reports
put_tests posix 'fork-*' 'pthread_create-*' 'pthread_cond_wait-*'

cat >"$tree/suite.sh" <<'TXT'
. /inside.sh
mount -t debugfs debugfs /sys/kernel/debug
echo 50000 >/sys/kernel/debug/rseq/slice_ext_nsec
echo 1 >/sys/kernel/debug/rseq/debug		# it ends a program that writes to what is the kernel's
# How often the kernel has done that: sgrant, syield, sabort, ...
kernel_has() {
	sed -n "s/^$1: *//p" /sys/kernel/debug/rseq/stats
}
# sections [VARIABLE=VALUE]...: beside a process that computes, both on the second processor.
sections() {
	cd /tmp && rm -f stats
	taskset 2 /b/tests/kernel/computes 100000 >/dev/null &
	hog=$!
	granted=$(kernel_has sgrant) yielded=$(kernel_has syield) aborted=$(kernel_has sabort)
	UPCALL_STATS=/tmp/stats timeout 60 env "$@" taskset 2 /b/tests/vm/vm-sections 6000
	status=$?
	kill $hog
	wait $hog 2>/dev/null
	granted=$(($(kernel_has sgrant) - granted)) yielded=$(($(kernel_has syield) - yielded))
	aborted=$(($(kernel_has sabort) - aborted)) told=$(sed -n 's/.*slices_extended *//p' stats)
	echo "the kernel granted $granted, of which $yielded were given back and $aborted ended by another call; the program counts ${told:-none}"
	return $status
}
# Both it and its child have some; it counts its own.
are_extended() {
	sections UPCALL_SLICE=10ms "$@" && [ "${told:-0}" -ge 3 ] && [ $granted -ge $((told + 3)) ] && [ $yielded -ge $told ]
}
are_not() {
	sections UPCALL_DISABLE=rseq_slice && [ "${told:-0}" = 0 ] && [ $granted = 0 ]
}
says() {
	"$@" >/tmp/features && grep "^rseq_slice" /tmp/features && grep -q "^rseq_slice  *$is" /tmp/features
}
is='yes  *yes' check 'features' says /b/cli/upcall features
is='yes  *no' check 'features, switched off' says env UPCALL_DISABLE=rseq_slice /b/cli/upcall features
check 'sections are extended' are_extended
check 'with one vproc' are_extended UPCALL_VPROCS=1
check 'where libc has no registration' are_extended GLIBC_TUNABLES=glibc.pthread.rseq=0
check 'switched off they are not' are_not
all 'native' /b/tests/native
all 'posix' /b/tests/posix
check 'the kernel complains of nothing' no_complaints
end_checks
TXT
"$here/boot" -t 400 "$kernel" "$tree" 'sh /suite.sh'
