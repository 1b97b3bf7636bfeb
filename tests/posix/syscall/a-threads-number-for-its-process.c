// SPDX-License-Identifier: BSD-2-Clause
// rt_sigqueueinfo takes the number of any thread of a process; tgkill wants a process; clone3 a readable argument.
#include "../harness.h"

static atomic_int value, tid;
static atomic_bool over;

static void handler(int sig, siginfo_t *info, void *uc)
{
	(void)sig, (void)uc;
	value = info->si_value.sival_int;
}

static void *body(void *arg)
{
	tid = (int)syscall(SYS_gettid);
	while (!over)
		sleep_ms(1);
	return arg;
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	siginfo_t info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };

	sigaction(SIGUSR1, &act, NULL);
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(tid);
	info.si_pid = getpid();
	info.si_value.sival_int = 777;
	CHECK_EQ(syscall(SYS_rt_sigqueueinfo, tid, SIGUSR1, &info), 0);
	WAIT_FOR(value == 777);
	CHECK_EQ(syscall(SYS_tgkill, -1, tid, 0), -1);
	CHECK_EQ(errno, EINVAL);
	CHECK_EQ(syscall(SYS_tgkill, getpid(), tid, 0), 0);
#ifdef SYS_clone3
	CHECK_EQ(syscall(SYS_clone3, (void *)8, (size_t)64), -1);
	CHECK(errno == EFAULT || errno == ENOSYS);
#endif
	over = true;
	join(t);
	return 0;
}
