#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# OpenBLAS: its threads spin on each other with sched_yield between them.
. "$(dirname "$0")/lib.sh"
need gcc gcc
headers=$(dirname "$(find /usr/include -name cblas.h -path '*openblas-pthread*' 2>/dev/null | head -n 1)")
library=$(find /usr/lib -name libopenblas.so.0 -path '*openblas-pthread*' 2>/dev/null | head -n 1)
[ "$headers" != . ] && [ -n "$library" ] || skip "no OpenBLAS (package libopenblas-pthread-dev)"
compile gcc -O2 -Wall -Wextra -pthread -I"$headers" -o "$work/openblas" \
	"$programs/src/openblas.c" "$library" "-Wl,-rpath,$(dirname "$library")"

openblas() {
	local count
	for count in 2 4 8; do
		must env OPENBLAS_NUM_THREADS=$count "$work/openblas" >out
		equal "$count threads" "$(tr '\n' ' ' <out)" "alone 8 of 8 together 48 of 48 "
		cat out
	done
}
twice openblas
