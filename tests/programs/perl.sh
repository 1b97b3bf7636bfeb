#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# perl's ithreads: clones of the interpreter, shared variables, queues, conditions, children.
. "$(dirname "$0")/lib.sh"
need perl perl
perl -e 'use Config; exit !$Config{useithreads}' || skip "this perl has no threads"

perl_threads() {
	must perl "$programs/src/threads.pl" >out
	equal "first line" "$(head -n 1 out)" "counter 8000 squares 22140 threads 40"
	equal "lines" "$(wc -l <out)" 7
	cat out
}
twice perl_threads
