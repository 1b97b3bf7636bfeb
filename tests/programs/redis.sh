#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# redis with 2 I/O threads, which spin on each other's progress: a load whose result is known, a
# snapshot by fork, an append-only file by the background thread, and the data again after a restart.
. "$(dirname "$0")/lib.sh"
need redis-server redis-server
need redis-benchmark redis-tools

ask() { timeout 60 redis-cli -p "$port" "$@"; }
saved() { [ "$(ask info persistence | grep -c 'rdb_bgsave_in_progress:0')" = 1 ]; }
serve() {
	start redis-server --bind 127.0.0.1 --port "$port" --io-threads 2 --io-threads-do-reads yes \
		--appendonly yes --save '' --dir "$here" --logfile '' --enable-debug-command local
	wait_port "$port"
	until_true 20 "loaded" eval '[ "$(ask ping)" = PONG ]'
}

redis_data() {
	port=$(free_port)
	serve
	timeout 60 redis-benchmark -p "$port" -n 15000 -c 50 -t incr,lpush,sadd,set -q >load.log ||
		fail "redis-benchmark failed"
	timeout 60 redis-benchmark -p "$port" -n 16000 -c 50 -P 16 -q rpush piped x >>load.log ||
		fail "redis-benchmark with a pipeline failed"
	equal counter "$(ask get counter:__rand_int__)" 15000
	equal list "$(ask llen mylist)" 15000
	equal piped "$(ask llen piped)" 16000
	equal bgsave "$(ask bgsave)" "Background saving started"
	until_true 20 "a snapshot" saved
	equal snapshot "$(ask info persistence | tr -d '\r' | grep rdb_last_bgsave_status)" \
		rdb_last_bgsave_status:ok
	ask debug digest
	stop
	serve
	ask debug digest
	ask dbsize
	stop
}
twice redis_data
