// SPDX-License-Identifier: BSD-2-Clause
// System calls that name a thread by the number that gettid gave it.
#include "../attributes.h"
#include <sys/resource.h>

static atomic_int other;
static atomic_bool stop;

static void *waits(void *arg)
{
	other = (int)syscall(SYS_gettid);
	while (!stop)
		sleep_ms(1);
	return arg;
}

/* As many a library does for the threads of a pool: as that of who made them. */
static void copies_attributes(long tid)
{
	struct attributes mine = attributes_of(0), got;

	CHECK_OK(syscall(SYS_sched_setattr, tid, &mine, 0));
	got = attributes_of(tid);
	CHECK_EQ(got.policy, mine.policy);
	CHECK_EQ(got.nice, mine.nice);
}

static void asks(long tid)
{
	cpu_set_t mine, got;
	struct sched_param param = { 77 };
	struct timespec t = { -1, -1 };

	CPU_ZERO(&mine);
	CPU_ZERO(&got);
	CHECK_OK(sched_getaffinity(0, sizeof(mine), &mine));
	long bytes = syscall(SYS_sched_getaffinity, tid, sizeof(got), &got);

	CHECK(bytes > 0 && bytes <= (long)sizeof(got));
	CHECK(CPU_EQUAL(&mine, &got));
	CHECK_OK(syscall(SYS_sched_setaffinity, tid, sizeof(mine), &mine));
	CHECK_EQ(syscall(SYS_sched_getscheduler, tid), sched_getscheduler(0));
	CHECK_OK(syscall(SYS_sched_getparam, tid, &param));
	CHECK_EQ(param.sched_priority, 0);
	CHECK_OK(syscall(SYS_sched_rr_get_interval, tid, &t));
	CHECK(t.tv_sec >= 0 && t.tv_nsec >= 0);
	CHECK_OK(sched_rr_get_interval((pid_t)tid, &t));
	CHECK_EQ(syscall(SYS_getpriority, PRIO_PROCESS, tid), 20 - getpriority(PRIO_PROCESS, 0));
	CHECK(syscall(SYS_ioprio_get, 1, tid) >= 0);
}

/* Only that thread becomes nicer. */
static void *becomes_nice(void *arg)
{
	long tid = syscall(SYS_gettid);
	struct attributes got;

	CHECK_OK(syscall(SYS_setpriority, PRIO_PROCESS, tid, 5));
	CHECK_EQ(syscall(SYS_getpriority, PRIO_PROCESS, tid), 15);
	got = attributes_of(tid);
	CHECK_EQ(got.nice, 5);
	got.nice = 6;
	CHECK_OK(syscall(SYS_sched_setattr, tid, &got, 0));
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), 6);
	return arg;
}

static atomic_int got_value;

static void handler(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	got_value = info->si_value.sival_int;
}

static void is_sent(long tid)
{
	siginfo_t info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };
	struct sigaction act = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };

	CHECK_OK(sigaction(SIGUSR1, &act, NULL));
	info.si_pid = getpid();
	info.si_value.sival_int = 1234;
	CHECK_OK(syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, SIGUSR1, &info));
	WAIT_FOR(got_value == 1234);
	CHECK_OK(syscall(SYS_tgkill, getpid(), tid, 0));
	CHECK_OK(syscall(SYS_tkill, tid, 0));
}

int main(void)
{
	int nice_before = getpriority(PRIO_PROCESS, 0);
	pthread_t t = spawn(waits, NULL);

	WAIT_FOR(other);
	asks(syscall(SYS_gettid));
	asks(other);
	copies_attributes(syscall(SYS_gettid));
	copies_attributes(other);
	is_sent(other);
	join(spawn(becomes_nice, NULL));
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), nice_before);
	stop = true;
	join(t);
}
