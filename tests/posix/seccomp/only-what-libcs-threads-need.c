// SPDX-License-Identifier: BSD-2-Clause
// A program that allows itself (seccomp) just the system calls that its threads make on libc: those that waited before for
// a pipe, a socket or many descriptors, and new ones, with stacks of any size, go on; for seconds no other call is met.  So
// it is where one of them computes before that, and where none has run for a while.
#include "../confine.h"
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { BEFORE = 5, REST_MS = 90, ROUNDS = 60, AFTER = 4 };

static int pipes[2][2], sockets[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool is_over;			/* under lock */
static atomic_bool stop;
static atomic_int refused, answered;

static void trapped(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	if (refused == 0)
		dprintf(2, "refused: call %d at %p\n", info->si_syscall, info->si_call_addr);
	refused++;
}

static void *reads(void *arg)
{
	char c;

	while (read(pipes[0][0], &c, 1) == 1 && c != 'e')
		answered++;
	return arg;
}

static void *polls(void *arg)
{
	struct pollfd p[] = { { pipes[1][0], POLLIN, 0 }, { sockets[1], POLLPRI, 0 } };
	char c;

	while (poll(p, 2, -1) == 1 && read(pipes[1][0], &c, 1) == 1 && c != 'e')
		answered++;
	return arg;
}

static void *receives(void *arg)
{
	char c;

	while (recv(sockets[0], &c, 1, 0) == 1 && c != 'e')
		answered++;
	return arg;
}

static void *waits(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	while (!is_over)
		CHECK_OK(pthread_cond_wait(&cond, &lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void *computes(void *arg)
{
	volatile long n = 0;

	while (!stop)
		n++;
	return arg;
}

static void *works(void *arg)
{
	struct timespec until = in_ms(CLOCK_REALTIME, 2);
	pthread_attr_t attr;
	size_t bytes = 0;

	CHECK_OK(prctl(PR_SET_NAME, "worker"));
	CHECK_OK(pthread_setname_np(pthread_self(), "worker"));
	CHECK_OK(pthread_getattr_np(pthread_self(), &attr));
	CHECK_OK(pthread_attr_getstacksize(&attr, &bytes));
	CHECK_OK(pthread_attr_destroy(&attr));
	CHECK(bytes > 0);
	CHECK_OK(pthread_mutex_lock(&lock));
	if (!is_over)
		pthread_cond_timedwait(&cond, &lock, &until);
	CHECK_OK(pthread_mutex_unlock(&lock));
	sleep_ms(5);
	return arg;
}

/* One of each, and a stack that none had before. */
static void again(int round)
{
	pthread_t t[AFTER];
	pthread_attr_t attr;
	int before = answered;

	CHECK_EQ(write(pipes[0][1], "x", 1), 1);
	CHECK_EQ(write(pipes[1][1], "x", 1), 1);
	CHECK_EQ(send(sockets[1], "x", 1, 0), 1);
	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setstacksize(&attr, (size_t)(64 + 4 * round) * 1024));
	for (int i = 0; i < AFTER; i++)
		CHECK_OK(pthread_create(&t[i], i ? NULL : &attr, works, NULL));
	CHECK_OK(pthread_attr_destroy(&attr));
	join_many(t, AFTER);
	WAIT_FOR(answered == before + 3);
}

static void confine(void)
{
	static const int needed[] = {
		SYS_read, SYS_write, SYS_close, SYS_poll, SYS_ppoll, SYS_recvfrom, SYS_sendto, SYS_futex, SYS_clone, SYS_exit,
		SYS_exit_group, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_rt_sigprocmask,
		SYS_rt_sigaction, SYS_rt_sigreturn, SYS_sigaltstack, SYS_set_robust_list, SYS_rseq, SYS_gettid, SYS_getpid,
		SYS_tgkill, SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime, SYS_sched_yield, SYS_sched_getaffinity,
		SYS_prctl, SYS_restart_syscall, SYS_getrandom, SYS_seccomp,
	};
	enum { CALLS = sizeof(needed) / sizeof(*needed) };
	struct sock_filter code[5 + 2 * CALLS];
	int n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int i = 0; i < CALLS; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)needed[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 435 /* clone3 */, 0, 1);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
	confine_all(code, (size_t)n, trapped);
}

static void run(bool rests)
{
	void *(*const bodies[BEFORE])(void *) = { reads, polls, receives, waits, computes };
	pthread_t before[BEFORE];

	CHECK_OK(pipe(pipes[0]));
	CHECK_OK(pipe(pipes[1]));
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	for (int i = 0; i < BEFORE - rests; i++)
		before[i] = spawn(bodies[i], NULL);
	sleep_ms(rests ? REST_MS : 20);
	confine();
	for (int i = BEFORE - rests; i < BEFORE; i++)
		before[i] = spawn(bodies[i], NULL);
	for (int i = 0; i < ROUNDS; i++) {
		if (!is_due((unsigned)i, 6))
			continue;
		again(i);
		sleep_ms(20);
	}
	CHECK_OK(pthread_mutex_lock(&lock));
	is_over = stop = true;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&lock));
	CHECK_EQ(write(pipes[0][1], "e", 1), 1);
	CHECK_EQ(write(pipes[1][1], "e", 1), 1);
	CHECK_EQ(send(sockets[1], "e", 1, 0), 1);
	join_many(before, BEFORE);
	CHECK_EQ(refused, 0);
}

int main(void)
{
	int status = -1;

	for (int rests = 0; rests < 2; rests++) {
		pid_t child = fork();

		CHECK(child >= 0);
		if (child == 0) {
			run(rests);
			return 0;
		}
		CHECK_EQ(waitpid(child, &status, 0), child);
		CHECK_EQ(status, 0);
	}
}
