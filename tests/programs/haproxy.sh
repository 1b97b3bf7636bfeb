#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# haproxy with 4 threads, which spin at their rendezvous points: a proxy before its own static
# answer, requests with and without keep-alive, a reload under load, a soft stop.
. "$(dirname "$0")/lib.sh"
need haproxy haproxy
need ab apache2-utils
need curl curl

write_config() {
	cat >haproxy.cfg <<-END
		global
			nbthread 4
			maxconn 1000
			stats socket $here/admin level admin expose-fd listeners
		defaults
			mode http
			timeout connect 20s
			timeout client 20s
			timeout server 20s
		frontend outer
			bind 127.0.0.1:$port
			default_backend inner
		backend inner
			server a 127.0.0.1:$inner
			server b 127.0.0.1:$inner
		frontend answer
			bind 127.0.0.1:$inner
			http-request return status 200 content-type text/plain string "answer"
	END
}

haproxy_load() {
	port=$(free_port)
	inner=$(free_port)
	url=http://127.0.0.1:$port/
	write_config
	start haproxy -W -f haproxy.cfg
	wait_port "$port"
	equal "the answer" "$(curl -sS --max-time 20 "$url")" answer
	load_http "$url" -k -n 8000 -c 50
	load_http "$url" -n 2000 -c 50
	during "$url" USR2
	until_true 20 "the reload" eval '[ "$(grep -c "New worker.*forked" "$server_log")" -ge 2 ]'
	load_http "$url" -n 500 -c 10
	stop USR1
	! grep -E 'exited with code 139|Segmentation' "$server_log" >&2 || fail "a worker crashed"
}
twice haproxy_load
