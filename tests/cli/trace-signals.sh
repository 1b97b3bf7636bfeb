#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# upcall trace of a program: SIGTERM and SIGINT end the recording and reach the program, each one, and
# that of a terminal once; what was recorded is written.
. "$(dirname "$0")/lib.sh"

cat >"$dir/counts.c" <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t seen;
static void on_signal(int sig) { (void)sig; seen++; }
static void *body(void *arg) { return arg; }

/* Ends after so many signals; half a second later it says how many there were. */
int main(int argc, char **argv)
{
	pthread_t t;

	if (argc > 1) {
		signal(SIGTERM, on_signal);
		signal(SIGINT, on_signal);
	}
	pthread_create(&t, NULL, body, NULL);
	pthread_join(t, NULL);
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < 3000 && (argc < 2 || seen < atoi(argv[1])); i++)
		usleep(10000);
	usleep(500000);
	printf("%d signals\n", (int)seen);
	return 5;
}
C
command -v python3 >/dev/null || skip 'no python3'
[ -x "$(dirname "$UPCALL")/upcall-look" ] || skip 'built without libdw'
command -v cc >/dev/null || skip 'no C compiler'
cc -O2 -o "$dir/counts" "$dir/counts.c" -pthread || fail "cannot compile"

begin() {	# ARGUMENT...: of the program
	rm -f "$dir/t.json"
	: >"$dir/out"
	"$UPCALL" trace -o "$dir/t.json" -- "$dir/counts" "$@" >"$dir/out" 2>"$dir/err" &
	tool=$!
	until_ready "$dir/out"
	sleep 0.3
}

ends_with() {
	wait $tool
	got=$?
	[ $got -eq "$1" ] || fail "status $got, not $1"
	grep -q traceEvents "$dir/t.json" || fail 'no file'
}

begin
kill -TERM $tool
ends_with 143

begin 3
for signal in TERM INT TERM; do
	kill -$signal $tool
	sleep 0.3
done
ends_with 5
says '3 signals'

# From a terminal.
cat >"$dir/terminal.py" <<'PY'
import os, pty, sys, time
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[1], sys.argv[1:])
text = b""
while b"ready" not in text:
    text += os.read(fd, 1000)
time.sleep(0.3)
os.write(fd, b"\x03")
try:
    while more := os.read(fd, 1000):
        text += more
except OSError:
    pass
sys.stdout.buffer.write(text)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
rm -f "$dir/t.json"
expect 5 timeout 30 python3 "$dir/terminal.py" "$UPCALL" trace -o "$dir/t.json" -- "$dir/counts" 1
says '1 signals'
grep -q traceEvents "$dir/t.json" || fail 'no file'
exit 0
