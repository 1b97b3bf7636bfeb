#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: apps.sh PROGRAM SECONDS glibc|upcall|pool
#
# Real programs, unmodified, under a load on the same processors.  What is not installed is skipped.
. "$(dirname "$0")/programs.sh"
. "$(dirname "$0")/script.sh"
bench=$(cd "$(dirname "$0")" && pwd)

# once FILE FUNCTION: what FUNCTION makes in the file (or folder) "$1.new" is kept for later calls.
once() {
	[ -e "$1" ] && return
	rm -rf "$1.new"
	"$2" "$1.new" && mv "$1.new" "$1" || fail "cannot make ${1##*/}"
}

# repeat COMMAND...: run the command again and again for $seconds; its mean time goes to $took.
repeat() {
	local begin=$EPOCHREALTIME n=0
	while :; do
		on "$@" >repeat.out 2>repeat.log </dev/null || { logged repeat.log; fail "$1 failed"; }
		n=$((n + 1))
		awk -v b="$begin" -v e="$EPOCHREALTIME" -v s="$seconds" 'BEGIN { exit e - b < s }' && break
	done
	took=$(awk -v b="$begin" -v e="$EPOCHREALTIME" -v n="$n" 'BEGIN { print (e - b) / n }')
}

# per_second AMOUNT TIME
per_second() { awk -v n="$1" -v t="$2" 'BEGIN { printf "%.6g\n", n / t }'; }

make_sample() {
	local i
	sample "$here/sample" && for i in 1 2 3 4; do cat "$here/sample"; done >"$1"
}

run_pigz() {
	need pigz pigz
	once "$shared/sample" make_sample
	repeat pigz -p 8 -c "$shared/sample"
	row - "$(per_second "$(($(wc -c <"$shared/sample") / 1000000))" "$took")" MB/s
}

frames=96
make_video() { seq 1 20000000 | head -c $((352 * 288 * 3 / 2 * frames)) >"$1"; [ -s "$1" ]; }

run_x264() {
	need x264 x264
	once "$shared/video.yuv" make_video
	repeat x264 --quiet --threads 8 --preset veryfast --demuxer raw --input-res 352x288 \
		-o out.264 "$shared/video.yuv"
	row - "$(per_second $frames "$took")" frames/s
}

# run_redis IO_THREADS
run_redis() {
	local port
	need redis-server redis-server
	need redis-benchmark redis-tools
	port=$(free_port)
	start redis-server --bind 127.0.0.1 --port "$port" --save '' --appendonly no \
		--io-threads "$1" --logfile '' --dir "$here"
	wait_port "$port"
	load timeout 100 redis-benchmark -p "$port" -t set,get -c 50 -n $((seconds * 30000)) --csv \
		>load.csv
	row set "$(awk -F'"' '$2 == "SET" { print $4 }' load.csv)" requests/s
	row get "$(awk -F'"' '$2 == "GET" { print $4 }' load.csv)" requests/s
	row get-p99 "$(awk -F'"' '$2 == "GET" { print $14 }' load.csv)" ms
	finish
}

run_memcached() {
	local port options=()
	need memcached memcached
	[ "$(id -u)" -ne 0 ] || options=(-u root)
	port=$(free_port)
	start memcached -l 127.0.0.1 -p "$port" -U 0 -t 4 -m 64 "${options[@]}"
	wait_port "$port"
	load timeout 100 "$bench/memcached-load" "$port" 50 "$seconds"
	finish
}

# http URL OPTIONS...: what ab measures with 50 clients.
http() {
	load timeout 100 ab -q -t "$seconds" -n 2000000 -c 50 "${@:2}" "$1" >ab.log 2>&1
	equal "failed requests" "$(awk '/^Failed requests/ { print $3 }' ab.log)" 0
	! grep -q '^Non-2xx' ab.log || fail "other answers than 200"
	row throughput "$(awk '/^Requests per second/ { print $4 }' ab.log)" requests/s
	row p99 "$(awk '$1 == "99%" { print $2 }' ab.log)" ms
}

run_nginx() {
	local port
	need nginx nginx-light
	need ab apache2-utils
	port=$(free_port)
	mkdir www
	seq 1 3000 >www/file
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
	start nginx -p "$here" -e "$here/error.log" -c "$here/nginx.conf"
	wait_port "$port"
	http "http://127.0.0.1:$port/file" -k
	finish QUIT
}

# run_apache MPM
run_apache() {
	local port modules=/usr/lib/apache2/modules
	need apache2 apache2
	need ab apache2-utils
	need_file "$modules/mod_mpm_$1.so" apache2
	port=$(free_port)
	mkdir www
	echo small >www/file
	cat >httpd.conf <<-END
		ServerRoot $here
		ServerName localhost
		Listen 127.0.0.1:$port
		PidFile $here/httpd.pid
		Mutex file:$here
		ErrorLog $here/error.log
		LoadModule mpm_$1_module $modules/mod_mpm_$1.so
		LoadModule authz_core_module $modules/mod_authz_core.so
		DocumentRoot $here/www
		User www-data
		Group www-data
		StartServers 1
		ServerLimit 1
		ThreadLimit 100
		ThreadsPerChild 100
		MaxRequestWorkers 100
		MaxKeepAliveRequests 0
	END
	start apache2 -f "$here/httpd.conf" -DFOREGROUND
	wait_port "$port"
	http "http://127.0.0.1:$port/file" -k
	finish TERM
}

run_varnish() {
	local port backend
	need varnishd varnish
	need ab apache2-utils
	need curl curl
	need "$python" python3
	need cc gcc		# varnish compiles its configuration
	port=$(free_port)
	backend=$(free_port)
	mkdir www
	seq 1 2000 >www/object
	setsid "$python" -m http.server --bind 127.0.0.1 --directory www "$backend" \
		>backend.log 2>&1 </dev/null &
	groups+=("$!")
	cat >default.vcl <<-END
		vcl 4.1;
		backend default { .host = "127.0.0.1"; .port = "$backend"; }
		sub vcl_backend_response { set beresp.ttl = 1h; }
	END
	start varnishd -F -a "127.0.0.1:$port" -f "$here/default.vcl" -n "$here/state" -j none \
		-s malloc,32m -p thread_pools=2 -p thread_pool_min=50 -p vsl_space=8M
	wait_port "$port"
	until_true 20 "the backend" port_answers "$backend"
	until_true 20 "the object" curl -sf -o object "http://127.0.0.1:$port/object"
	http "http://127.0.0.1:$port/object"
	finish
}

make_classes() { javac -d "$1" "$bench/Messages.java" >javac.log 2>&1 || { logged javac.log; return 1; }; }

# A program of ours, on the package's JVM as it is: Messages.java says what it does.
run_java() {
	local status=0
	need java openjdk-17-jdk-headless
	need javac openjdk-17-jdk-headless
	once "$shared/java" make_classes
	start java -Xmx256m -XX:ErrorFile="$here/java.log" -cp "$shared/java" Messages "$seconds"
	under_upcall "$server"
	wait "$server" || status=$?
	[ $status -eq 0 ] || { logged "$server_log" "$here/java.log"; fail "exit status $status of java"; }
	row messages "$(awk '$1 == "messages" { print $2 }' "$server_log")" messages/s
	row echo "$(awk '$1 == "echo" { print $2 }' "$server_log")" requests/s
}

sql() { timeout 60 mariadb --no-defaults --socket="$here/socket" -uroot -N -B -e "$1"; }
sql_answers() { [ "$(sql 'select 1')" = 1 ]; }

# start_mariadb DATADIR OPTIONS...
start_mariadb() {
	[ "$(id -u)" -ne 0 ] || set -- "$@" --user=root
	start mariadbd --no-defaults --datadir="$1" --socket="$here/socket" --skip-networking \
		--pid-file="$here/pid" --max-connections=2100 --max-prepared-stmt-count=1000000 \
		--back-log=2000 --innodb-buffer-pool-size=256M --innodb-flush-log-at-trx-commit=2 "${@:2}"
	until_true 90 "a first answer" sql_answers
	under_upcall "$server"
}

sysbench_on() {
	load timeout 200 sysbench oltp_read_write --db-driver=mysql --mysql-socket="$here/socket" \
		--mysql-user=root --mysql-db=bench --tables=8 --table-size=10000 --percentile=99 "$@" \
		>sysbench.log 2>&1
}

# The tables are made once, on glibc; each run gets a copy of them.
make_tables() {
	local mode=glibc prefix=()
	mariadb-install-db --no-defaults --datadir="$1" --skip-test-db \
		--auth-root-authentication-method=normal >install.log 2>&1 ||
		{ logged install.log; return 1; }
	start_mariadb "$1"
	sql "create database bench" && sysbench_on prepare --threads=4 && stop >/dev/null
}

# run_mariadb CONNECTIONS
run_mariadb() {
	local handling=(--thread-handling=one-thread-per-connection)
	need mariadbd mariadb-server
	need mariadb-install-db mariadb-server
	need mariadb mariadb-client
	need sysbench sysbench
	[ "$system" != pool ] || handling=(--thread-handling=pool-of-threads --thread-pool-size=2)
	once "$shared/mariadb" make_tables
	cp -r "$shared/mariadb" data
	start_mariadb "$here/data" "${handling[@]}"
	sysbench_on run --threads="$1" --time=$((seconds * 2))
	row throughput "$(sed -n 's/.*transactions:.*(\([0-9.]*\) per sec.*/\1/p' sysbench.log)" \
		transactions/s
	row p99 "$(awk '/99th percentile:/ { print $3 }' sysbench.log)" ms
	finish
}

case $case in
pigz) run_pigz ;;
x264) run_x264 ;;
redis) run_redis 1 ;;
redis-io-threads) run_redis 2 ;;
memcached) run_memcached ;;
nginx) run_nginx ;;
apache-worker) run_apache worker ;;
apache-event) run_apache event ;;
varnish) run_varnish ;;
java) run_java ;;
mariadb-16) run_mariadb 16 ;;
mariadb-1000) run_mariadb 1000 ;;
mariadb-2000) run_mariadb 2000 ;;
*) echo "apps.sh: no case '$case'" >&2; exit 2 ;;
esac
