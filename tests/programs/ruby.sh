#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ruby: 200 threads over the global lock, conditions, queues, children, timeouts, kill, fibers.
. "$(dirname "$0")/lib.sh"
ruby=/usr/bin/ruby
need "$ruby" ruby

ruby_threads() {
	must "$ruby" "$programs/src/threads.rb" >out
	equal "first line" "$(head -n 1 out)" "mutex 2010000"
	equal "lines" "$(wc -l <out)" 13
	cat out
}
twice ruby_threads
