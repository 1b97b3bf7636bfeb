#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A thread that comes back from a block in the kernel, and finds its vproc taken, is told by an alarm of perf's; not with
# UPCALL_DISABLE=alarm, nor without perf.  It gives way in both, and the program's own SIGURG, and the one that it asks for
# by F_SETSIG, go where they did.
. "$(dirname "$0")/lib.sh"
compiler=$(command -v cc) || skip 'no C compiler'
"$UPCALL" features | grep -q '^alarm  *yes' || skip 'no perf for alarms'

cat >"$dir/comes-back.c" <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { COMPUTING = 2, ROUNDS = 30 };
static atomic_int over, ours, by_descriptor, others;

static void on_urg(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	if (info->si_code == SI_QUEUE || info->si_code == SI_TKILL)
		ours++;
	else if (info->si_code == POLL_IN)
		by_descriptor++;
	else
		others++;
}

static void *computes(void *arg)
{
	while (!over)
		;
	return arg;
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* By a bare system call, which the library knows nothing of. */
static void *comes_back(void *arg)
{
	long nr = SYS_nanosleep, ret;

	for (int i = 0; i < ROUNDS; i++) {
		struct timespec t = { 0, 20000000 };

		do {			/* without perf the monitor may end it, as it sees a block late */
#ifdef __x86_64__
			__asm__ volatile("syscall" : "=a"(ret) : "0"(nr), "D"(&t), "S"(&t) : "rcx", "r11", "memory");
#else
			ret = syscall(nr, &t, &t);
#endif
		} while (ret);
		for (long end = now_ms() + 3; now_ms() < end;)
			;
	}
	return arg;
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_urg, .sa_flags = SA_SIGINFO | SA_RESTART };
	pthread_t t[COMPUTING], back;
	int ends[2];

	sigaction(SIGURG, &act, NULL);
	for (int i = 0; i < COMPUTING; i++)
		pthread_create(&t[i], NULL, computes, NULL);
	pthread_create(&back, NULL, comes_back, NULL);
	pthread_join(back, NULL);
	over = 1;
	for (int i = 0; i < COMPUTING; i++)
		pthread_join(t[i], NULL);
	if (ours || by_descriptor || others) {
		puts("SIGURG that nobody sent");
		return 1;
	}
	pthread_kill(pthread_self(), SIGURG);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || fcntl(ends[0], F_SETSIG, SIGURG) ||
	    fcntl(ends[0], F_SETOWN, getpid()) || fcntl(ends[0], F_SETFL, O_ASYNC) || write(ends[1], "x", 1) != 1)
		return 1;
	for (long end = now_ms() + 20000; now_ms() < end && (ours != 1 || !by_descriptor);)
		;
	printf("%d of its own, %d by a descriptor, %d others\n", ours, by_descriptor, others);
	return ours != 1 || !by_descriptor || others;
}
C
"$compiler" -O2 -pthread -o "$dir/comes-back" "$dir/comes-back.c" || fail 'cannot compile'
expect 0 "$dir/comes-back"

# alarms [SETTING...]: by how many one was told.
alarms() {
	expect 0 env "$@" "$UPCALL" run --vprocs=1 --stats "$dir/comes-back"
	number=$(sed -n 's/^  alarms  *//p' "$dir/err")
	[ -n "$number" ] || fail 'the statistics lack alarms'
}

for _ in 1 2 3; do		# a busy machine: the monitor may never have seen it blocked
	alarms
	[ "$number" -eq 0 ] || break
done
[ "$number" -gt 0 ] || fail 'no alarm'
alarms UPCALL_DISABLE=alarm
[ "$number" -eq 0 ] || fail 'alarms that are switched off'
alarms UPCALL_DISABLE=perf
[ "$number" -eq 0 ] || fail 'alarms without perf'
exit 0
