#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# varnish with 100 threads in two pools before a small backend: hits with and without keep-alive,
# misses, every byte of the body; the backend is asked once for each object.
. "$(dirname "$0")/lib.sh"
need varnishd varnish
need ab apache2-utils
need curl curl
need "$python" python3
need cc gcc

get() { curl -sS --max-time 20 "http://127.0.0.1:$1"; }

varnish_cache() {
	local backend n misses=()
	port=$(free_port)
	backend=$(free_port)
	setsid "$python" "$programs/src/backend.py" "$backend" >backend.log 2>&1 </dev/null &
	groups+=("$!")
	cat >default.vcl <<-END
		vcl 4.1;
		backend default { .host = "127.0.0.1"; .port = "$backend"; }
		sub vcl_recv { if (req.url == "/count") { return (pass); } }
		sub vcl_backend_response { set beresp.ttl = 1h; }
	END
	start varnishd -F -a "127.0.0.1:$port" -f "$here/default.vcl" -n "$here/state" -j none \
		-s malloc,32m -p thread_pools=2 -p thread_pool_min=50 -p vsl_space=8M
	wait_port "$port"
	until_true 20 "the backend" eval '[ -n "$(get '"$backend"'/count)" ]'
	equal "the body" "$(get "$port/object" | sum)" "$(seq 0 1999 | sum)"
	load_http "http://127.0.0.1:$port/object" -k -n 10000 -c 50
	load_http "http://127.0.0.1:$port/object" -n 3000 -c 50
	for n in {1..50}; do
		get "$port/object/$n" >"miss.$n" &
		misses+=("$!")
	done
	wait "${misses[@]}"
	cat miss.* | sum
	echo "asked $(get "$port/count") times"
	stop
}
twice varnish_cache
