#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Rust's std: channels, locks, scoped threads, panics, thread locals, sockets, children, and the
# report of a stack overflow, which needs each thread's own alternate signal stack.
. "$(dirname "$0")/lib.sh"
need rustc rustc
compile rustc --edition 2021 -O -A warnings -o "$work/threads" "$programs/src/threads.rs"

rust_threads() {
	must "$work/threads" >out
	equal "first line" "$(head -n 1 out)" "channels 49995000 124750 true"
	equal "lines" "$(wc -l <out)" 8
	cat out
	ulimit -c 0
	on "$work/threads" overflow >/dev/null 2>overflow.log
	echo "overflow exit status $?"
	grep -o "has overflowed its stack" overflow.log || { logged overflow.log; fail "no report"; }
}
twice rust_threads
