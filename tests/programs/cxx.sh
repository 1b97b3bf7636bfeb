#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A C++20 program: exceptions, thread_local destructors, futures, atomic waits, stop tokens, streams.
. "$(dirname "$0")/lib.sh"
need g++ g++
compile g++ -std=c++20 -O2 -frounding-math -Wall -Wextra -pthread \
	-o "$work/threads" "$programs/src/threads.cc"

cxx_threads() {
	must "$work/threads" >out
	equal "first line" "$(head -n 1 out)" "thread_local made 100 destroyed 100 wrong 0"
	equal "lines" "$(wc -l <out)" 9
	cat out
}
twice cxx_threads
