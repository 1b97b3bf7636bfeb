#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs on the native API under AddressSanitizer and ThreadSanitizer: what is right runs without a word, what is
# wrong is found.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/native-tools.lib"
unset ASAN_OPTIONS TSAN_OPTIONS

tried=0
for kind in address thread; do
	build $kind "$dir/wrong.c" && "$dir/program" 2>/dev/null || continue
	tried=$((tried + 1))
	for name in hello bank pipeline echo cache ticket-lock race; do
		runs $kind $name
		[ $kind = thread ] || runs $kind "$UPCALL" run -- $name
	done
	build $kind "$dir/wrong.c"
	if [ $kind = address ]; then
		finds 'SUMMARY.*stack-buffer-overflow' "$dir/program" 0
		finds 'SUMMARY.*heap-use-after-free' "$dir/program" 1
		finds '22 byte(s) leaked' "$dir/program" 2
	else
		finds 'data race' "$dir/program" 3
	fi
done
[ $tried -gt 0 ] || skip "no sanitizers here"
