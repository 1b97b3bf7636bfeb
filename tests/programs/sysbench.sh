#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# sysbench's cpu, threads, mutex and memory tests: LuaJIT, yields, mutexes, condition variables.
. "$(dirname "$0")/lib.sh"
need sysbench sysbench

events() { awk '/total number of events:/ { print $NF }' out; }

sysbench_events() {
	must sysbench cpu --threads=16 --events=4000 --time=0 --cpu-max-prime=5000 run >out
	echo "cpu $(events)"
	must sysbench threads --threads=64 --events=4000 --time=0 --thread-yields=100 run >out
	echo "threads $(events)"
	must sysbench mutex --threads=32 --mutex-locks=2000 --mutex-num=16 --mutex-loops=500 run >out
	echo "mutex $(events)"
	must sysbench memory --threads=8 --memory-total-size=512M --time=0 run >out
	echo "memory $(awk '/^Total operations:/ { print $3 }' out)"
	equal "four results" "$(printf 'cpu 4000\nthreads 4000\nmutex 32\nmemory 524288')" \
		"$(cat "$work/$mode.result")"
}
twice sysbench_events
