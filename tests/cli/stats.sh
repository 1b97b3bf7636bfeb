#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counters: at exit (run --stats), and of a running process (upcall stats).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/situation.lib"

cat >"$dir/churn.c" <<'C'
#include <pthread.h>
#include <unistd.h>
static void *body(void *arg) { return arg; }
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 100; i++) {
		pthread_t t;
		pthread_create(&t, 0, body, 0);
		pthread_join(t, 0);
	}
	close(2);	/* as many programs do before they exit */
	if (argc > 1)
		_exit(7);
	return 7;
}
C
"$compiler" -o "$dir/churn" "$dir/churn.c" -pthread || fail 'cannot compile'

counter() {	# FILE NAME
	sed -n "s/^  $2  *//p" "$1"
}
expect 7 "$UPCALL" run --stats "$dir/churn"
[ ! -s "$dir/out" ] || fail 'statistics on standard output'
head -n 1 "$dir/err" | grep -qE '^upcall: churn \(process [0-9]+\) after [0-9.]+ s, [0-9]+ vprocs$' || fail 'the head'
[ "$(counter "$dir/err" threads)" -eq 101 ] || fail 'threads'
[ "$(counter "$dir/err" switches)" -ge 100 ] || fail 'switches'
[ "$(counter "$dir/err" stacks)" -ge 1 ] || fail 'stacks'
for name in steals preemptions activations_peak activations_spare overlap_max_ns overlaps overlaps_late memory_peak_bytes; do
	[ -n "$(counter "$dir/err" $name)" ] || fail "no $name"
done
grep -qE '^  upcalls\.blocked\.(perf|monitor) ' "$dir/err" || fail 'upcalls by source'

# Into a file, named from where the program started; a program that starts no thread says so.
(cd "$dir" && expect 7 "$UPCALL" run --stats=file "$dir/churn") || exit 1
[ "$(counter "$dir/file" threads)" -eq 101 ] || fail 'the file'
expect 7 "$UPCALL" run "--stats=$dir/left" "$dir/churn" leave
[ "$(counter "$dir/left" threads)" = 101 ] || fail 'once, for a program that ends by _exit'
expect 0 "$UPCALL" run --stats true
complains 'started no user-level thread'
expect 7 "$UPCALL" run "$dir/churn"
is_silent

# What a program has in standard error's place is its own; and what it ends with is, where nothing can be written.
cat >"$dir/own.c" <<'C'
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	(void)argc;
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	return fd == 2 && write(fd, "mine\n", 5) == 5 ? 7 : 1;
}
C
"$compiler" -o "$dir/own" "$dir/own.c" || fail 'cannot compile'
(exec 2>&-; "$UPCALL" run --stats "$dir/own" "$dir/own.db"; echo $? >"$dir/status")
[ "$(cat "$dir/status")" -eq 7 ] || fail "status $(cat "$dir/status") with standard error closed"
[ "$(cat "$dir/own.db")" = mine ] || fail "statistics in the program's file"
{ { sleep 0.3; "$UPCALL" run --stats "$dir/churn"; echo $? >"$dir/status"; } 2>&1 >&3 | true; } 3>&1
[ "$(cat "$dir/status")" -eq 7 ] || fail "status $(cat "$dir/status") where nobody reads"
(ulimit -f 0; expect 7 "$UPCALL" run "--stats=$dir/none" "$dir/churn" leave) >"$dir/log" 2>&1 ||
	fail "a limit of files' sizes: $(cat "$dir/log")"
expect 7 "$UPCALL" run --stats=/dev/full "$dir/churn" leave
situation "$UPCALL" run "$dir/situation" 50 "$dir/lock"
expect 0 "$UPCALL" stats --json $pid
python3 - "$dir/out" $pid <<'PY' || fail 'the JSON'
import json, sys
[p] = json.load(open(sys.argv[1]))["processes"]
assert p["pid"] == int(sys.argv[2]) and p["command"] == "situation"
assert p["threads"] == 63 and p["threads_live"] == 63, p
assert p["switches"] >= p["parks"] > 50, p
PY
"$UPCALL" run sleep 20 &
second=$!
sleep 0.5
expect 0 "$UPCALL" stats --prometheus $pid $second
cp "$dir/out" "$dir/prometheus"
# One that has started no thread has been told of nothing, by nobody.
expect 0 "$UPCALL" stats $second
grep -qE '^  upcalls\.added +0$' "$dir/out" || fail 'a name without its source'
kill $second
mv "$dir/prometheus" "$dir/out"
# Lines of one metric stand together, and none is said twice.
[ "$(sed 's/^# TYPE //; s/[ {].*//' "$dir/out" | uniq | wc -l)" -eq "$(grep -c '^# TYPE' "$dir/out")" ] ||
	fail 'the lines of a metric stand apart'
grep -v "pid=\"$second\"" "$dir/out" >"$dir/of-one"
mv "$dir/of-one" "$dir/out"
python3 - "$dir/out" $pid <<'PY' || fail 'the Prometheus text'
import re, sys
types, values = {}, {}
for line in open(sys.argv[1]):
    if line.startswith("# TYPE "):
        _, _, name, kind = line.split()
        assert kind in ("counter", "gauge") and name not in types
        assert (kind == "counter") == name.endswith("_total"), name
        types[name] = kind
        continue
    m = re.fullmatch(r'([a-z_]+)\{pid="(\d+)",command="situation"(,source="(perf|monitor)")?\} (\d+)\n', line)
    assert m and m[1] in types and m[2] == sys.argv[2], line
    values[m[1]] = int(m[5])
assert set(values) == set(types)
assert values["upcall_threads_total"] == 63 and values["upcall_upcalls_blocked_total"] >= 1, values
PY
"$UPCALL" stats >"$dir/out" 2>"$dir/err"	# others may be none of ours to look at
grep -qE "^$pid situation$" "$dir/out" || fail 'the process is not listed'
exit 0
