#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Another user's program has pipes where its debugging information should be: root's look does not wait.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" -eq 0 ] || skip 'takes root'
for command in cc objcopy setpriv mkfifo; do
	command -v $command >/dev/null || skip "no $command"
done
[ -x "$(dirname "$UPCALL")/upcall-look" ] || skip 'built without libdw'
chmod 755 "$dir"

cat >"$dir/waits.c" <<'C'
#include <pthread.h>
#include <unistd.h>
static void *body(void *arg) { sleep(60); return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, body, 0);
	sleep(60);
}
C
cc -O1 -g -o "$dir/waits" "$dir/waits.c" -pthread || fail 'cannot compile'
mkdir "$dir/.debug"
(cd "$dir" && objcopy --only-keep-debug waits waits.debug &&
	objcopy --strip-debug --remove-section=.note.gnu.build-id --add-gnu-debuglink=waits.debug waits &&
	rm waits.debug && mkfifo waits.debug .debug/waits.debug) || fail 'objcopy'
setpriv --reuid=65534 --regid=65534 --clear-groups "$UPCALL" run "$dir/waits" &
pid=$!
trap 'kill $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$dir"' EXIT
sleep 1
cat /proc/$pid/maps >/dev/null 2>&1 || skip "takes root that may see others' memory"
expect 0 timeout 20 "$UPCALL" stack $pid
says 'main'
exit 0
