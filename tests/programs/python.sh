#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# CPython: 500 threads, pools, queues, subprocesses, fork, name look-ups, sockets, timeouts, signals.
. "$(dirname "$0")/lib.sh"
need "$python" python3

python_threads() {
	must "$python" "$programs/src/threads.py" >out
	equal "500 threads" "$(head -n 1 out)" "five_hundred (500, True, 124750)"
	equal "parts" "$(wc -l <out)" 15
	cat out
}
twice python_threads
