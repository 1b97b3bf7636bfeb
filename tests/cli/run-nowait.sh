#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# With UPCALL_DISABLE=nowait nobody asks for RWF_NOWAIT, as before Linux 6.4, and pipes serve all the same: under a
# filter that ends whoever asks.  The same without it shows that the filter does.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'

cat >"$dir/ends.c" <<'C'
/* ends COMMAND...: runs it where who calls preadv2 or pwritev2 is ended. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_preadv2, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwritev2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	execvp(argv[1], argv + 1);
	return 2;
}
C
"$compiler" -o "$dir/ends" "$dir/ends.c" || fail 'cannot compile'
"$dir/ends" true
[ $? -ne 77 ] || skip 'no seccomp'

posix='read-many-threads-many-pipes read-many-threads-one-pipe read-pipe-woken-by-write pipe-ring-of-threads
	write-large-to-a-pipe write-waits-until-there-is-room cancel-read-pipe pthread_kill-read-eintr'
for test in $posix; do
	expect 0 env UPCALL_DISABLE=nowait "$dir/ends" "$UPCALL" run "$BUILD/tests/posix/$test"
done
expect 0 env UPCALL_DISABLE=nowait "$dir/ends" "$BUILD/tests/native/io"
"$UPCALL" features >"$dir/out"
grep -qE '^nowait +yes +yes' "$dir/out" || skip 'no RWF_NOWAIT for pipes here anyway'
for program in "$UPCALL run $BUILD/tests/posix/read-many-threads-many-pipes" "$BUILD/tests/native/io"; do
	! { "$dir/ends" $program >"$dir/out" 2>"$dir/err"; } 2>/dev/null ||
		fail "nobody asks anyway: this test proves nothing of $program"
done
exit 0
