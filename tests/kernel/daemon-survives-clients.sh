#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What clients write, send or do not send harms neither upcalld nor another client.
. "$(dirname "$0")/lib.sh"
start_daemon
cd "$dir" || exit 1
chmod 777 "$dir"

timeout 60 taskset -c "$first_cpu" "$UPCALL" run --stats="$dir/stats.1" -- "$helpers/blocks" fifo 3000 \
	>"$dir/out.1" 2>&1 &
bystander=$!
for user in 0 65534; do
	for case in page register rubbish heir linger exec; do
		setpriv --reuid=$user --clear-groups "$helpers/client" $case >"$dir/out" ||
			fail "$case as user $user"
	done
done
kill -0 "$daemon" || fail 'upcalld has died'
wait $bystander || fail 'the bystander'
mv "$dir/stats.1" "$dir/stats"
told_by bpf 1500

# A program without any privilege is told as well.
rm "$dir/stats"
timeout 60 setpriv --reuid=65534 --clear-groups --no-new-privs --bounding-set=-all \
	"$UPCALL" run --vprocs=1 --stats="$dir/stats" -- "$helpers/blocks" futex 300 >"$dir/out" 2>"$dir/err" ||
	fail 'without privilege'
told_by bpf 150

# Where the kernel does not let it refuse descriptors.
stop_daemon
compiler=$(command -v cc) || skip 'no C compiler'
"$compiler" -shared -fPIC -o "$dir/old.so" -xc - <<'C' || fail 'cannot compile'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>
int setsockopt(int fd, int level, int option, const void *value, socklen_t n)
{
	int (*real)(int, int, int, const void *, socklen_t) = dlsym(RTLD_NEXT, "setsockopt");
	if (level == SOL_SOCKET && option == 83)	/* SO_PASSRIGHTS */
		return errno = ENOPROTOOPT, -1;
	return real(fd, level, option, value, n);
}
C
LD_PRELOAD=$dir/old.so start_daemon
for case in linger rubbish heir; do
	setpriv --reuid=65534 --clear-groups "$helpers/client" $case >"$dir/out" || fail "$case, without SO_PASSRIGHTS"
done

# Programs that are killed amid their blocks.
for _ in $(seq 10); do
	"$UPCALL" run "$helpers/blocks" futex 1000000 >/dev/null 2>&1 &
	victims="$victims $!"
done
sleep 0.5
kill -9 $victims
wait $victims 2>/dev/null
free() { status | grep -q 'processes: 0 of'; }
eventually free
