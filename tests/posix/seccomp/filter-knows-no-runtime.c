// SPDX-License-Identifier: BSD-2-Clause
// A program that confines itself (seccomp) to the system calls that its threads make: its handler for others never runs,
// and threads from before and after go on to wait, sleep and wake each other.
#include "../harness.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

enum { BEFORE = 6, AFTER = 6, ROUNDS = 30 };

static atomic_bool stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int rounds;

static void trapped(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	h_fail(H_HERE, "a system call that is not the program's", info->si_syscall, 0, true);
}

static void *waits(void *arg UNUSED)
{
	while (!stop) {
		CHECK_OK(pthread_mutex_lock(&lock));
		struct timespec until = in_ms(CLOCK_REALTIME, 3);

		pthread_cond_timedwait(&cond, &lock, &until);
		CHECK_OK(pthread_mutex_unlock(&lock));
	}
	return NULL;
}

static void *computes(void *arg UNUSED)
{
	volatile long n = 0;

	while (!stop)
		n++;
	return NULL;
}

static void *works(void *arg)
{
	int p[2];
	char c;

	CHECK_OK(pipe(p));
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_mutex_lock(&lock));
		CHECK_OK(pthread_cond_broadcast(&cond));
		CHECK_OK(pthread_mutex_unlock(&lock));
		CHECK_EQ(write(p[1], "x", 1), 1);
		CHECK_EQ(read(p[0], &c, 1), 1);
		sleep_ms(1);
		rounds++;
	}
	CHECK_OK(close(p[0]));
	CHECK_OK(close(p[1]));
	return arg;
}

static void confine(void)
{
	static const int strange[] = { SYS_perf_event_open, SYS_sched_setaffinity, SYS_sched_setattr, SYS_rt_tgsigqueueinfo,
				       SYS_rt_sigqueueinfo, SYS_io_uring_setup, SYS_io_uring_enter, SYS_openat, SYS_bpf };
	enum { CALLS = sizeof(strange) / sizeof(*strange) };
	struct sock_filter code[2 + 2 * CALLS];
	int n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int i = 0; i < CALLS; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)strange[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { (unsigned short)n, code };
	struct sigaction act = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };

	CHECK_OK(sigaction(SIGSYS, &act, NULL));
	CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	/* With no filter it is a question whether there might be one. */
	CHECK_ERRNO(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL), EFAULT);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
		skip("no filter for all threads");
}

int main(void)
{
	pthread_t before[BEFORE], after[AFTER];

	for (int i = 0; i < BEFORE; i++)
		before[i] = spawn(i < 2 ? computes : waits, NULL);
	sleep_ms(5);
	confine();
	spawn_many(after, AFTER, works);
	join_many(after, AFTER);
	CHECK_EQ(rounds, AFTER * ROUNDS);
	CHECK_OK(pthread_kill(before[0], 0));
	stop = true;
	join_many(before, BEFORE);
}
