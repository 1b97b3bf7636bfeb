# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Real programs, unmodified, on glibc's threads and then under Upcall: the same result is asserted.
#
# A script sources this, says what it `need`s, defines a function that prints everything its program
# must always say, and ends with `twice FUNCTION`, which calls the function in each mode and compares
# what it printed.  A wrong result on glibc is a failure too: the function checks with `equal` and
# friends, so that two equal wrong answers do not pass.
#
#   on COMMAND...        run a program to its end in the mode of the moment, at most $limit seconds
#   start COMMAND...     the same for a server: in the background, its pid in $server
#   stop [SIGNAL]        end the server and print its exit status
#
# UPCALL names the command (default build/cli/upcall); with UPCALL= only glibc is run.  Everything
# lives in a folder of mktemp's ($work; $here is a fresh one in it for each mode); the trap ends what
# was started, by its own process groups, and nothing else.  UPCALL_TEST_KEEP=1 keeps the folder.

set -u -o pipefail
umask 022
export LC_ALL=C

programs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$programs/../.." && pwd)
UPCALL=${UPCALL-$root/build/cli/upcall}
script=$(basename "$0" .sh)
limit=${UPCALL_TEST_LIMIT:-60}
PATH=$PATH:/usr/sbin:/sbin
python=/usr/bin/python3

mode=glibc
prefix=()
server=
ended=
groups=()

work=$(mktemp -d "${TMPDIR:-/tmp}/upcall-$script.XXXXXX")
chmod 755 "$work"

end_all() {
	trap "" PIPE HUP INT TERM
	local group
	for group in ${groups[@]+"${groups[@]}"}; do
		kill -KILL -- "-$group" 2>/dev/null
		wait "$group" 2>/dev/null
	done
	[ -n "${UPCALL_TEST_KEEP:-}" ] || rm -rf "$work"
}
trap end_all EXIT
trap 'exit 1' HUP INT TERM PIPE

# Failures are told on the script's own stderr, wherever that of the program goes.
exec 3>&2
fail() {
	echo "$script ($mode): $*" >&3
	exit 1
}

skip() {
	echo "$script: skipped: $*"
	exit 77
}

# need COMMAND PACKAGE: skip where it is not installed.
need() {
	command -v "$1" >/dev/null || skip "$1 is missing (package $2)"
}

need_file() {
	[ -e "$1" ] || skip "$1 is missing (package $2)"
}

# equal WHAT GOT WANTED
equal() {
	[ "$2" = "$3" ] || fail "$1: got '$2', wanted '$3'"
}

# logged FILE...: the end of each log, for a failure.
logged() {
	local file
	for file in "$@"; do
		[ ! -s "$file" ] || { echo "--- ${file##*/}"; tail -n 20 "$file"; } >&3
	done
}

# Programs that ended under Upcall leave its counters in $work/stats.  One that ran plainly (a probe
# failed, the environment was lost) leaves none, and the comparison would say nothing.
ran_on_user_threads() {
	awk '$1 == "threads" && $2 > most { most = $2 } END { exit most < 2 }' "$work/stats" \
		2>/dev/null || fail "no program of this test started a thread under Upcall"
}

# A process group of its own for each program: what it leaves behind can be ended with it.  Waiting
# in the background keeps the traps alive.
on() {
	local pid status
	ended=yes
	setsid timeout -k 5 "$limit" "${prefix[@]}" "$@" <&0 &
	pid=$!
	groups+=("$pid")
	wait "$pid"
	status=$?
	[ "$status" -ne 124 ] && [ "$status" -ne 137 ] ||
		echo "$script ($mode): no end after $limit s: $*" >&3
	kill -KILL -- "-$pid" 2>/dev/null
	return "$status"
}

# must COMMAND...: `on`, and a failure unless the program exits with 0.
must() {
	on "$@" || fail "exit status $? of: $*"
}

start() {
	server_log=$here/server.log
	setsid "${prefix[@]}" "$@" >"$server_log" 2>&1 </dev/null &
	server=$!
	groups+=("$server")
}

# A port below the range from which the kernel hands out ports, with nobody on it.
free_port() {
	local port
	for _ in {1..50}; do
		port=$((20000 + RANDOM % 10000))
		(: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
	done
	fail "no free port"
}

# until_true SECONDS WHAT COMMAND...: try again until it succeeds, while the server lives.
until_true() {
	local tries=$(($1 * 20)) what=$2
	shift 2
	for ((; tries > 0; tries--)); do
		"$@" 2>/dev/null && return
		server_lives || { logged "$server_log"; fail "the server died before: $what"; }
		sleep 0.05
	done
	logged "$server_log"
	fail "not in time: $what"
}

server_lives() {
	[ -d "/proc/$server" ] && ! grep -q '^State:.*Z' "/proc/$server/status" 2>/dev/null
}

port_answers() { (: <"/dev/tcp/127.0.0.1/$1"); }

# wait_port PORT: the server answers there, and under Upcall it really has the library in it.
wait_port() {
	until_true 30 "port $1" port_answers "$1"
	under_upcall "$server"
}

# Amid an exec of its own (haproxy's master, soon after it has begun to listen) it has nothing in it yet.
under_upcall() {
	[ "$mode" != glibc ] || return 0
	for _ in $(seq 40); do
		grep -q libupcall-pthread.so "/proc/$1/maps" && return
		sleep 0.05
	done
	fail "the program does not run under Upcall: $(tr '\0' ' ' <"/proc/$1/cmdline")"
}

# One process of the server's has made threads and switched between them.  Kernel threads, of a program that ran plainly
# or bound, are not switched.
serves_on_user_threads() {
	local pid
	[ "$mode" != glibc ] && [ -z "${UPCALL_BOUND:-}" ] || return 0
	for pid in $(pgrep -s "$server"); do
		"$UPCALL" stats "$pid" 2>/dev/null
	done | awk '$1 == "threads" { n = $2 } $1 == "switches" && $2 > 0 && n > 1 { found = 1 } END { exit !found }' ||
		fail "no process of the server has run threads under Upcall"
}

# stop [SIGNAL]: end the server in its own way and print how it went.
stop() {
	local tries status
	! server_lives || serves_on_user_threads
	kill "-${1:-TERM}" "$server" 2>/dev/null ||
		{ logged "$server_log"; fail "the server is gone"; }
	for ((tries = 400; tries > 0; tries--)); do
		server_lives || break
		sleep 0.05
	done
	[ "$tries" -gt 0 ] || { logged "$server_log"; fail "the server does not stop"; }
	wait "$server"
	status=$?
	kill -KILL -- "-$server" 2>/dev/null
	echo "server exit status $status"
}

# Some 8 MB that compress a little: numbers, what gzip leaves of numbers, and numbers again.
sample() {
	{
		seq 1 400000
		seq 1 1000000 | gzip -1n
		seq 400000 -1 1
	} >"$1"
}

# load_http URL OPTIONS...: ab in that manner; every request answered, none wrong or broken off.
load_http() {
	local log
	log=$(mktemp "$here/ab.XXXXXX")
	timeout 60 ab -q "${@:2}" "$1" >"$log" 2>&1 ||
		{ logged "$log" "$server_log" "$here/error.log"; fail "ab ${*:2} failed"; }
	equal "failed requests of ab ${*:2}" "$(awk '/^Failed requests/ { print $3 }' "$log")" 0
	! grep -q '^Non-2xx' "$log" || fail "other answers than 200 to ab ${*:2}"
	equal "any request of ab ${*:2}" "$(awk '/^Complete requests/ { print ($3 > 0) }' "$log")" 1
	rm "$log"
}

# during URL SIGNAL: the server gets the signal in the middle of a load that may not notice.
during() {
	local loading
	load_http "$1" -t 3 -n 20000 -c 20 &
	loading=$!
	sleep 0.2
	kill -0 "$loading" 2>/dev/null || fail "the load ended before signal $2"
	kill "-$2" "$server"
	wait "$loading" || fail "the load during signal $2"
}

sum() { sha256sum | cut -d' ' -f1; }

# compile COMMAND...: a test program of ours; a compiler that fails is a failure.
compile() {
	"$@" >"$work/compile.log" 2>&1 ||
		{ logged "$work/compile.log"; fail "does not compile: $*"; }
}

in_mode() {
	mode=$1
	here=$work/$mode
	mkdir "$here"
	cd "$here" || fail "cd"
	"$2" >"$work/$mode.result" || fail "failed"
	[ -s "$work/$mode.result" ] || fail "printed no result"
}

twice() {
	prefix=()
	in_mode glibc "$1"
	if [ -n "$UPCALL" ]; then
		[ -x "$UPCALL" ] || fail "no $UPCALL: build it, or set UPCALL= to run on glibc only"
		prefix=("$UPCALL" run "--stats=$work/stats" --)
		in_mode upcall "$1"
		[ -z "$ended" ] || ran_on_user_threads
		diff "$work/glibc.result" "$work/upcall.result" >&2 ||
			fail "another result than on glibc (<)"
	fi
	[ -z "${UPCALL_TEST_VERBOSE:-}" ] || cat "$work/glibc.result"
	exit 0
}
