#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# nginx with `aio threads`: files read by a thread pool, a reload under load, a graceful stop.
. "$(dirname "$0")/lib.sh"
need nginx nginx-light
need ab apache2-utils
need curl curl
nginx -V 2>&1 | grep -q -- --with-threads || skip "this nginx has no threads"

write_config() {
	mkdir -p www
	seq 1 200000 >www/big
	seq 1 3000 >www/middle
	cat >nginx.conf <<-END
		$([ "$(id -u)" -ne 0 ] || echo "user root;")
		worker_processes 2;
		daemon off;
		pid $here/nginx.pid;
		error_log $here/error.log notice;
		thread_pool files threads=16 max_queue=1024;
		events { worker_connections 1024; }
		http {
			access_log off;
			client_body_temp_path $here/body;
			proxy_temp_path $here/proxy;
			fastcgi_temp_path $here/fastcgi;
			uwsgi_temp_path $here/uwsgi;
			scgi_temp_path $here/scgi;
			sendfile off;
			aio threads=files;
			server { listen 127.0.0.1:$port; root $here/www; }
		}
	END
}

nginx_aio() {
	port=$(free_port)
	url=http://127.0.0.1:$port/middle
	write_config
	start nginx -p "$here" -e "$here/error.log" -c "$here/nginx.conf"
	wait_port "$port"
	equal "the file" "$(curl -sS --max-time 20 "http://127.0.0.1:$port/big" | sum)" \
		"$(sum <www/big)"
	load_http "$url" -n 2000 -c 50
	load_http "$url" -k -n 5000 -c 50
	during "$url" HUP
	until_true 20 "the reload" eval '[ "$(grep -c "start worker process " error.log)" -ge 4 ]'
	load_http "$url" -n 500 -c 10
	equal "a range" "$(curl -sS --max-time 20 -r 100000-900000 "http://127.0.0.1:$port/big" | sum)" \
		"$(tail -c +100001 www/big | head -c 800001 | sum)"
	stop QUIT
	! grep -E 'exited on signal|\[emerg\]|\[alert\]' error.log >&2 || fail "a worker crashed"
}
twice nginx_aio
