#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Java 17 with each of three collectors: 200 threads, StackOverflowError and NullPointerException
# caught in them, monitors, pools, garbage collection, interrupts, sockets, children.
. "$(dirname "$0")/lib.sh"
need java openjdk-17-jdk-headless
need javac openjdk-17-jdk-headless
compile javac -d "$work" "$programs/src/Threads.java"

java_threads() {
	local collector
	for collector in Serial Parallel G1; do
		must java "-XX:+Use${collector}GC" -Xmx256m -XX:ErrorFile="$work/java.log" -cp "$work" \
			Threads >out
		equal "first line with $collector" "$(head -n 1 out)" "faults 200 10000"
		equal "lines with $collector" "$(wc -l <out)" 10
		cat out
	done
}
twice java_threads
