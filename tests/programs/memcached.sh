#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# memcached with 4 threads and 16 clients: everything stored is found, counters lose nothing.
. "$(dirname "$0")/lib.sh"
need memcached memcached
need "$python" python3

memcached_data() {
	local port options=()
	port=$(free_port)
	[ "$(id -u)" -ne 0 ] || options=(-u root)
	start memcached -l 127.0.0.1 -p "$port" -U 0 -t 4 -m 64 "${options[@]}"
	wait_port "$port"
	timeout 60 "$python" "$programs/src/memcached-client.py" "$port" >out ||
		fail "the client failed"
	equal "first line" "$(head -n 1 out)" "answers 17440"
	cat out
	stop
}
twice memcached_data
