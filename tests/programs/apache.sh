#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# apache, worker and event: requests with and without keep-alive, every byte of a file, a graceful
# restart in the middle of a load without one failed request, a graceful stop.
. "$(dirname "$0")/lib.sh"
need apache2 apache2
need ab apache2-utils
need curl curl
modules=/usr/lib/apache2/modules
need_file "$modules/mod_mpm_worker.so" apache2

write_config() {
	mkdir -p www
	seq 1 20000 >www/big
	echo small >www/small
	cat >httpd.conf <<-END
		ServerRoot $here
		ServerName localhost
		Listen 127.0.0.1:$2
		PidFile $here/httpd.pid
		Mutex file:$here
		ErrorLog $here/error.log
		LoadModule mpm_$1_module $modules/mod_mpm_$1.so
		LoadModule authz_core_module $modules/mod_authz_core.so
		DocumentRoot $here/www
		User www-data
		Group www-data
		StartServers 2
		ThreadsPerChild 50
		MaxRequestWorkers 200
		MaxKeepAliveRequests 0
		KeepAliveTimeout 5
		GracefulShutdownTimeout 10
	END
}

restarts() { [ "$(grep -c 'resuming normal operations' error.log)" -ge "$1" ]; }

serve() {
	port=$(free_port)
	url=http://127.0.0.1:$port/small
	rm -rf ./*
	write_config "$1" "$port"
	start apache2 -f "$here/httpd.conf" -DFOREGROUND
	wait_port "$port"
	equal "the file by $1" "$(curl -sS --max-time 20 "http://127.0.0.1:$port/big" | sum)" \
		"$(sum <www/big)"
	load_http "$url" -n 2000 -c 40
	load_http "$url" -k -n 5000 -c 40
	during "$url" USR1
	until_true 20 "the restart" restarts 2
	load_http "$url" -n 500 -c 10
	stop WINCH
	! grep -E 'Segmentation|exit signal' error.log >&2 || fail "a child crashed"
}

apache_mpms() {
	serve worker
	serve event
}
twice apache_mpms
