#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# MariaDB with 500 connections, a thread for each: sysbench's read-write mix, every transaction
# counted, tables checked, and the same rows afterwards.
. "$(dirname "$0")/lib.sh"
need mariadbd mariadb-server
need mariadb-install-db mariadb-server
need mariadb mariadb-client
need sysbench sysbench
connections=${UPCALL_TEST_CONNECTIONS:-500}
transactions=$((connections * 4))

options=()
[ "$(id -u)" -ne 0 ] || options=(--user=root)
mariadb-install-db --no-defaults --datadir="$work/new" --auth-root-authentication-method=normal \
	--skip-test-db "${options[@]}" >"$work/install.log" 2>&1 ||
	{ logged "$work/install.log"; fail "mariadb-install-db"; }

sql() { timeout 60 mariadb --no-defaults --socket="$here/socket" -uroot -N -B -e "$1" "${@:2}"; }
bench() {
	timeout 120 sysbench oltp_read_write --db-driver=mysql --mysql-socket="$here/socket" \
		--mysql-user=root --mysql-db=bench --tables=4 --table-size=2500 --rand-seed=1 "$@" \
		>bench.log 2>&1 || { logged bench.log "$server_log"; fail "sysbench $*"; }
}

mariadb_load() {
	local table
	cp -r "$work/new" data
	start mariadbd --no-defaults --datadir="$here/data" --socket="$here/socket" \
		--port="$(free_port)" --bind-address=127.0.0.1 --max-connections=$((connections + 50)) \
		--thread-handling=one-thread-per-connection --innodb-buffer-pool-size=64M \
		--innodb-flush-log-at-trx-commit=2 --innodb-lock-wait-timeout=60 --back-log=1000 \
		--max-prepared-stmt-count=1000000 --pid-file="$here/pid" "${options[@]}"
	until_true 60 "a first answer" eval '[ "$(sql "select 1")" = 1 ]'
	under_upcall "$server"
	sql "create database bench"
	bench prepare --threads=4
	bench run --threads="$connections" --events="$transactions" --time=0
	awk '/transactions:/ { print "transactions", $2 }' bench.log
	equal transactions "$(awk '/transactions:/ { print $2 }' bench.log)" "$transactions"
	[ "$(sql "show status like 'Max_used_connections'" | cut -f 2)" -ge "$connections" ] ||
		fail "not $connections connections at once"
	for table in 1 2 3 4; do
		sql "check table sbtest$table" bench
		sql "select count(*), count(distinct id), max(id) from sbtest$table" bench
	done
	sql "select count(*) from information_schema.processlist where command = 'Query'"
	stop
	! grep -E 'signal 11|Assertion|\[ERROR\]' "$server_log" >&2 || fail "errors in the log"
}
twice mariadb_load
