#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: echo.sh CONNECTIONS SECONDS glibc|upcall|native|epoll|PEER
#
# examples/echo: a server with a thread for each connection (native: echo-native.c), or an epoll loop,
# with one processor for itself; the load has the others.  A peer is such a server, too: BENCH_PEER is its path then.
. "$(dirname "$0")/programs.sh"
. "$(dirname "$0")/script.sh"
bench=$(cd "$(dirname "$0")" && pwd)
connections=$case

case $system in
epoll | native) command=("$bench/echo-$system" --port=0) ;;
*) command=("$bench/echo-threads" --port=0) ;;
esac
[ -z "${BENCH_PEER:-}" ] || command=("$BENCH_PEER" "echo/$connections" "$seconds" "$system")
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -gt $((connections + 100)) ] ||
	skip "$connections connections: a process may open $(ulimit -Hn) descriptors only"

mapfile -t cpus < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
	awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
others=$(IFS=,; echo "${cpus[*]:1}")

is_listening() { grep -qs '^listening' "$server_log"; }

start taskset -c "${cpus[0]}" "${command[@]}"
for ((tries = 400; tries > 0; tries--)); do
	! is_listening && server_lives || break
	sleep 0.05
done
if ! is_listening; then
	! server_lives || fail 'not in time: listening'
	wait "$server"
	status=$?
	[ $status -eq 77 ] || { logged "$server_log"; fail "the server ended with status $status"; }
	sed -n 's/^note /skipped: /p' "$server_log"
	exit 77
fi
under_upcall "$server"
load taskset -c "${others:-${cpus[0]}}" timeout 120 "$bench/echo-load" --json --warmup=$((seconds >= 5)) \
	--port="$(sed -n 's/^listening on .*://p' "$server_log")" --connections="$connections" \
	--seconds="$seconds" --pid="$server" >load.json

field() { sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" load.json; }
row per-cpu-second "$(field requests_per_cpu_s)" requests
row throughput "$(field requests_per_s)" requests/s
case $system in
native)
	at_least per-cpu-second 1 requests epoll
	at_least throughput "$([ "$connections" -lt 5000 ] && echo 1.05 || echo 1.06)" requests/s epoll ;;
upcall) at_least throughput 1 requests/s epoll ;;
esac
row p99 "$(field p99_us)" us
row resident "$(field server_rss_kb | awk '{ print $1 / 1024 }')" MB
finish
