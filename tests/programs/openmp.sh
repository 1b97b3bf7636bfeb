#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# OpenMP (libgomp): 8 threads that sleep, and 4 that spin while they wait.
. "$(dirname "$0")/lib.sh"
need gcc gcc
compile gcc -fopenmp -O2 -Wall -Wextra -o "$work/openmp" "$programs/src/openmp.c"

openmp() {
	must env OMP_NUM_THREADS=8 OMP_WAIT_POLICY=passive "$work/openmp" >out
	equal "barriers" "$(grep barriers out)" "barriers team 8 wrong 0"
	equal "tasks" "$(grep tasks out)" "tasks 46368 chain 28"
	equal "nested" "$(grep nested out)" "nested 240"
	cat out
	must env OMP_NUM_THREADS=4 "$work/openmp" >out
	cat out
	must env OMP_NUM_THREADS=2 OMP_WAIT_POLICY=active "$work/openmp" >out
	cat out
}
twice openmp
