#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `upcall bench --peers`: other programs are measured beside ours and compared; --svg draws it.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3'

# A peer that knows one case, and takes just as long as it says.
cat >"$dir/slowpoke" <<'X'
#!/bin/sh
[ "$1" = yield ] || [ "$1" = 100 ] || [ "$1" = myth/table-2 ] || exit 77
echo "- 5000000 ns"
echo "note called $1 $2 $3"
X
chmod +x "$dir/slowpoke"

expect 0 "$UPCALL" bench --quick --runs=1 --peers="$dir/slowpoke" --svg="$dir/chart.svg" --json micro/yield micro/lock
python3 - "$dir" <<'X' || fail 'not what the peer said'
import json, sys, xml.etree.ElementTree as tree
dir = sys.argv[1]
rows = {(r["case"], r["system"]): r for r in json.load(open(dir + "/out"))}
assert rows["yield", "slowpoke"]["median"] == 5000000
assert rows["yield", "slowpoke"]["notes"] == ["called yield 0.1 slowpoke"]
ratio = rows["yield", "upcall"]["ratio_to"]
assert 0 < ratio["slowpoke"] < 0.1 and ratio["glibc"] > 0, ratio
assert ("lock", "upcall") in rows and ("lock", "slowpoke") not in rows
texts = [e.text for e in tree.parse(dir + "/chart.svg").iter("{http://www.w3.org/2000/svg}text")]
assert "slowpoke" in texts and "micro yield" in texts and "5e+06 ns" in texts, texts
X
expect 0 "$UPCALL" bench --quick --runs=1 --peers="$dir/slowpoke" micro/yield
says 'called yield 0.1 slowpoke'
says 'of slowpoke'

# It is asked in scale, too; of papers it is told which one; where nobody asks it, one line says so.
expect 0 "$UPCALL" bench --quick --runs=1 --peers="$dir/slowpoke" scale/100 scale/10
is_silent
grep -qE '^  100 +slowpoke( +[0-9.,]+){3} +1 +-  ns' "$dir/out" || fail 'not asked in scale'
expect 0 "$UPCALL" bench --quick --runs=1 --peers="$dir/slowpoke" myth/table-2 dgux/table-2
is_silent
says '(table-2 on slowpoke: called myth/table-2 0.02 slowpoke)'
[ "$(grep -c ' slowpoke  ' "$dir/out")" -eq 1 ] || fail 'asked for what it has not'
expect 0 "$UPCALL" bench --quick --runs=1 --peers="$dir/slowpoke" activations/upcall micro/yield latency/spawn
complains 'no peers are measured in activations, latency; they are in micro, pagefault, scale, echo, pingpong, myth, dgux, psyche'
expect 0 "$UPCALL" bench --quick --runs=1 micro/spawn-tree-20
says '(spawn-tree-20: only peers are measured, which --peers names)'

# In echo it is a server, of any kind; or has nothing to do with that, or breaks.
cat >"$dir/server" <<'X'
#!/usr/bin/env python3
import socketserver, sys
assert sys.argv[1:] == ["echo/100", "1", "server"], sys.argv
class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while data := self.request.recv(4096):
            self.request.sendall(data)
class Server(socketserver.ThreadingTCPServer):
    daemon_threads, request_queue_size = True, 100
with Server(("127.0.0.1", 0), Echo) as server:
    print("listening on 127.0.0.1:%d" % server.server_address[1], flush=True)
    server.serve_forever()
X
cat >"$dir/refuser" <<'X'
#!/bin/sh
echo "note called $1"
exit 77
X
cat >"$dir/breaker" <<'X'
#!/bin/sh
exit 3
X
chmod +x "$dir/server" "$dir/refuser" "$dir/breaker"
expect 0 "$UPCALL" bench --quick --runs=1 --peers="$dir/server,$dir/refuser,$dir/slowpoke" echo/100
is_silent
[ "$(grep -cE '^ +(server|refuser|slowpoke)( +[0-9.,]+){3} +1 +-  ' "$dir/out")" -eq 4 ] || fail 'not the figures of one server'
grep -qE '^ +server( +[0-9.,]+){3} +1 +-  requests/s +[0-9.e-]+ of glibc, [0-9.e-]+ of epoll$' "$dir/out" || fail 'no ratio'
says '(100 on refuser: called echo/100)'
expect 1 env BENCH_PEER=/bin/true "$UPCALL" bench --quick --runs=1 --peers="$dir/breaker" echo/100
complains 'echo.sh 100 on breaker failed (status 1): echo (glibc): the server ended with status 3'
[ "$(grep -c '^  100 ' "$dir/out")" -eq 4 ] || fail 'the others were not measured'

# Those that were built know what they are asked for, or say with 77 that they do not.
of_papers() {
	for row in table-1/lock table-3/thread table-4/yield start/first-thread; do
		[ "$name $row" != 'go start/first-thread' ] || continue
		expect 0 taskset -c 0 "$peer" myth/${row%/*} 0.01 "$name"
		grep -qE "^${row#*/} [0-9.e+]+ ns\$" "$dir/out" || fail "$name: no $row of myth"
	done
	for table in '3 yield-alone yield mutex condition create-exit-join' '4 thread' '5 condition' '6 create mutex condition'; do
		expect 0 taskset -c 0 "$peer" "dgux/table-${table%% *}" 0.01 "$name"
		for metric in ${table#* }; do
			grep -qE "^$metric [0-9.e+]+ ns\$" "$dir/out" || fail "$name: no $metric of dgux, table $table"
			[ "${table%% *}" != 3 ] || grep -qE "^$metric/syscall [0-9.e+-]+ x\$" "$dir/out" || fail "$name: no multiple of $metric"
		done
	done
	if [ "$name" = pth ]; then
		expect 77 taskset -c 0 "$peer" psyche/gauss 0.01 pth
		says 'note threads that wait for each other at every step take minutes'
	else
		for program in gauss/ms sort/ms gauss-4/% gauss-1/%; do
			expect 0 timeout 60 taskset -c 0 "$peer" "psyche/${program%/*}" 0.01 "$name"
			grep -qE "^- [0-9.e+]+ ${program#*/}\$" "$dir/out" || fail "$name: no figure of psyche, $program"
		done
	fi
	for none in myth/table-5 dgux/table-2 psyche/phases psyche/gauss- echo/many papers/table-1; do
		expect 77 timeout 60 taskset -c 0 "$peer" $none 0.01 "$name"
	done
}

servers=
for peer in "$BUILD"/bench/peers/*; do
	[ -f "$peer" ] && [ -x "$peer" ] || continue
	name=${peer##*/}
	expect 0 taskset -c 0 "$peer" yield 0.01 "$name"
	grep -qE '^- [0-9.e+]+ ns$' "$dir/out" || fail "$name: no figure"
	expect 0 taskset -c 0 "$peer" ping-pong-4 0.01 "$name"
	grep -qE '^- [0-9.e+]+ ns$' "$dir/out" || fail "$name: no figure for ping-pong-4"
	expect 0 taskset -c 0 "$peer" contended 0.01 "$name"
	grep -qE '^least [0-9.e-]+ of-mean$' "$dir/out" || fail "$name: nothing of who got least"
	# A tree of which all threads would be there at a time is too much for pth.
	if [ "$name" = pth ]; then
		expect 77 taskset -c 0 "$peer" spawn-tree-20 0.01 "$name"
		says 'note 21891 threads at a time are too many for it'
	else
		expect 0 taskset -c 0 "$peer" spawn-tree-20 0.01 "$name"
		grep -qE '^peak [0-9.e+]+ kB$' "$dir/out" || fail "$name: no memory of a tree"
	fi
	if [ "$name" = native ]; then		# pingpong and scale have programs of their own for it
		awk '$1 == "peak" && $2 > 16000 { exit 1 }' "$dir/out" || fail 'a tree as broad as it is long'
		expect 77 "$peer" 100 0.01 native
		continue
	fi
	expect 0 taskset -c 0 "$peer" 100 0.01 "$name"
	for metric in create wake-join; do
		grep -qE "^$metric [0-9.e+]+ ns\$" "$dir/out" || fail "$name: no $metric of scale"
	done
	for metric in resident page-tables memory; do
		grep -qE "^$metric [0-9.e+-]+ bytes\$" "$dir/out" || fail "$name: no $metric of scale"
	done
	expect 0 taskset -c 0 "$peer" test-3 0.01 "$name"
	grep -qE '^play [0-9.e+]+ ms$' "$dir/out" || fail "$name plays no ping-pong"
	expect 77 "$peer" test-7 0.01 "$name"
	of_papers
	[ "$name" = fiber ] || servers=$servers,$name
	expect 77 "$peer" no-such-case 0.01 "$name"
	expect 2 "$peer" yield
done

if [ -n "$servers" ]; then
	expect 0 "$UPCALL" bench --quick --runs=1 --json --peers="${servers#,}" echo/100
	python3 - "$dir/out" "${servers#,}" <<'X' || fail 'a server of these gave no figures'
import json, sys
rows = {(r["case"], r["system"]): r["median"] for r in json.load(open(sys.argv[1])) if r["runs"]}
for peer in sys.argv[2].split(","):
    for metric in "per-cpu-second", "throughput", "p99", "resident":
        assert ("100 " + metric, peer) in rows, (metric, peer)
    assert rows["100 throughput", peer] > 0, peer
X
fi
# One that selects has 1,024 descriptors, and says so.
for name in $(echo "$servers" | tr , ' '); do
	timeout 60 taskset -c 0 "$BUILD/bench/peers/$name" echo/5000 1 "$name" >"$dir/log" 2>&1 &
	server=$!
	if [ "$name" = pth ]; then
		wait $server
		[ $? -eq 77 ] && grep -qx 'note 5000 connections are too many for it' "$dir/log" || fail 'pth serves 5,000'
		continue
	fi
	for _ in $(seq 100); do
		grep -q ^listening "$dir/log" && break
		sleep 0.1
	done
	[ "$(ulimit -Hn)" != unlimited ] && [ "$(ulimit -Hn)" -lt 1300 ] ||
		expect 0 timeout 50 "$BUILD/bench/echo-load" --port="$(sed -n 's/^listening.*://p' "$dir/log")" --connections=1200 \
			--warmup=0 --seconds=1
	kill $server
done

expect 2 "$UPCALL" bench --peers=nobody micro/yield
complains "no peer 'nobody'"
expect 2 "$UPCALL" bench --peers= micro/yield
complains "no peer ''"
mkdir "$dir/folder"
cp "$dir/slowpoke" "$dir/folder/slowpoke"
cp "$dir/slowpoke" "$dir/glibc"
expect 2 "$UPCALL" bench --peers="$dir/folder" micro/yield
complains "no peer '$dir/folder'"
expect 2 "$UPCALL" bench --peers="$dir/slowpoke,$dir/folder/slowpoke" micro/yield
complains "there would be two systems 'slowpoke'"
expect 2 "$UPCALL" bench --peers="$dir/glibc" micro/yield
complains "there would be two systems 'glibc'"
# The same one twice is one.
ln -s slowpoke "$dir/link"
expect 0 "$UPCALL" bench --quick --runs=1 --peers="$dir/slowpoke,$dir/folder/../slowpoke,$dir/link" micro/yield
[ "$(grep -cE '^ +(slowpoke|link) ' "$dir/out")" -eq 1 ] || fail 'measured twice'

expect 2 "$UPCALL" bench --peers
complains 'wants a value'
