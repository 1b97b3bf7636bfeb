#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A process with mounts of its own, as in a container: its files are found there, and not those that
# have their names here; a pipe that has does not make us wait.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
[ -x "$(dirname "$UPCALL")/upcall-look" ] || skip 'built without libdw'
[ "$(id -u)" -eq 0 ] || skip 'takes root'
library=$(dirname "$(dirname "$UPCALL")")/src/libupcall-pthread.so
[ -f "$library" ] || skip 'an installed command'
mkdir "$dir/mnt"
unshare -m sh -c "mount -t tmpfs none $dir/mnt" 2>/dev/null || skip 'mounts are refused'

cat >"$dir/waits.c" <<'C'
#include <pthread.h>
#include <unistd.h>
pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;
static void *body(void *arg) { pthread_mutex_lock(&seen_lock); return arg; }
int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&seen_lock);
	pthread_create(&t, 0, body, 0);
	sleep(60);
}
C
"$compiler" -o "$dir/waits" "$dir/waits.c" -pthread || fail 'cannot compile'
mkfifo "$dir/mnt/libupcall-pthread.so"	# what is at the name here
cp /bin/true "$dir/mnt/waits"

unshare -m sh -c "mount -t tmpfs none $dir/mnt && cp $library $dir/waits $dir/mnt/ &&
	LD_PRELOAD=$dir/mnt/libupcall-pthread.so exec $dir/mnt/waits" &
pid=$!
trap 'kill $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$dir"' EXIT
for _ in $(seq 100); do
	[ "$(cat /proc/$pid/comm)" = waits ] && break
	sleep 0.05
done
sleep 0.5
expect 0 timeout 20 "$UPCALL" ps $pid
says '(seen_lock)'
expect 0 timeout 20 "$UPCALL" stack $pid
says ' main'
expect 0 timeout 20 "$UPCALL" stats $pid
says 'threads_live'
exit 0
