#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs and threads with names that are commands to a terminal, more than a line, or no UTF-8: what
# is printed for people has none of that; a name in UTF-8 stays.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
command -v python3 >/dev/null || skip 'no python3'
[ -x "$(dirname "$UPCALL")/upcall-look" ] || skip 'built without libdw'

cat >"$dir/names.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char *const names[] = { "nl\n12 forged", "\033[31mRED\033[2J", "\xff\xfe\x9b" "31m", "caf\xc3\xa9",
				     "\xc2\x9b" "2J" };
enum { THREADS = sizeof(names) / sizeof(names[0]) };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *arg)
{
	pthread_setname_np(pthread_self(), arg);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	prctl(PR_SET_NAME, "\033]0;t\"w\\n\007\ncomm");
	pthread_mutex_lock(&lock);
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&t[i], NULL, body, (void *)names[i]);
		if (i == 0)
			usleep(200000);	/* the first waits longest: a summary names it */
	}
	usleep(300000);
	printf("ready\n");
	fflush(stdout);
	if (argc > 1)
		usleep(atoi(argv[1]) * 1000);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
C
"$compiler" -o "$dir/names" "$dir/names.c" -pthread || fail 'cannot compile'
"$UPCALL" run "$dir/names" 60000 >"$dir/ready" 2>&1 &
pid=$!
trap 'kill $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$dir"' EXIT
until_ready "$dir/ready"

is_clean() {
	python3 - "$dir/out" "$dir/err" <<'PY' || fail "$1"
import sys, unicodedata
for name in sys.argv[1:]:
    text = open(name, "rb").read().decode()	# or it is no UTF-8
    bad = {c for c in text if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"}
    assert not bad, bad
    assert not any(line.startswith("12 forged") or line.startswith("comm") for line in text.splitlines()), text
PY
}

for command in ps stack stats 'top -b -n1 -d0.1'; do
	expect 0 "$UPCALL" $command $pid
	is_clean "$command"
	case $command in stats*) ;; *) says 'nl?12 forged' ;; esac
done
expect 0 "$UPCALL" ps $pid
says 'café'
says '?]0;t"w\n??comm: 6 threads'
# As JSON they are the bytes that they are.
expect 0 "$UPCALL" ps --json $pid
python3 -c '
import json, sys
[p] = json.load(open(sys.argv[1]))["processes"]
names = {t["name"].encode("latin-1") for t in p["threads"]}
assert b"nl\n12 forged" in names and b"\x1b[31mRED\x1b[2J" in names and "café".encode() in names, names
assert p["command"] == "\x1b]0;t\"w\\n\x07\ncomm", p["command"]' "$dir/out" || fail 'the JSON'

expect 0 "$UPCALL" stats --prometheus $pid
is_clean 'the Prometheus text'
says "upcall_threads_total{pid=\"$pid\",command=\"?]0;t\\\"w\\\\n?\\ncomm\"} 6"

expect 0 "$UPCALL" trace -o "$dir/t.json" --summary -- "$dir/names" 10
is_clean 'trace --summary'
says 'nl?12 forged (2)'
expect 0 "$UPCALL" trace -i "$dir/t.json" --summary
is_clean 'trace -i --summary'
exit 0
