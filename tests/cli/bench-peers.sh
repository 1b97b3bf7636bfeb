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
