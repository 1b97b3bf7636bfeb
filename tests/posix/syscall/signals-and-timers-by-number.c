// SPDX-License-Identifier: BSD-2-Clause
// The thread that calls by number is the one that libc's functions are about: its mask, its alternate stack, what is pending for
// it, its CPU time, its timers, its end.
#include "../harness.h"
#include <sys/resource.h>

enum { LOOKS = 20 };

static atomic_int calls, elsewhere;
static pthread_t target;
static atomic_bool stop;

static void note(int sig UNUSED)
{
	calls++;
	if (!pthread_equal(pthread_self(), target))
		elsewhere++;
}

static void *others(void *arg)
{
	while (!stop)
		usleep(300);
	return arg;
}

static void has_its_mask(void)
{
	uint64_t mask = UINT64_C(1) << (SIGUSR1 - 1), is = 0, pending = 0;
	sigset_t set;

	CHECK_OK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, 8));
	for (int i = 0; i < LOOKS; i++) {
		usleep(300);
		CHECK_OK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &is, 8));
		CHECK(is & mask);
		CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &set));
		CHECK(sigismember(&set, SIGUSR1));
	}
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	CHECK_OK(syscall(SYS_rt_sigpending, &pending, 8));
	CHECK(pending & mask);
	CHECK_EQ(syscall(SYS_rt_sigtimedwait, &mask, NULL, NULL, 8), SIGUSR1);
}

static void has_its_stack(void)
{
	static char memory[64 * 1024];
	stack_t ss = { .ss_sp = memory, .ss_size = sizeof(memory) }, is;

	CHECK_OK(syscall(SYS_sigaltstack, &ss, NULL));
	for (int i = 0; i < LOOKS; i++) {
		usleep(300);
		CHECK_OK(syscall(SYS_sigaltstack, NULL, &is));
		CHECK(is.ss_sp == memory);
	}
	ss.ss_flags = SS_DISABLE;
	CHECK_OK(sigaltstack(&ss, &is));
	CHECK(is.ss_sp == memory);
}

static void has_its_times(void)
{
	struct timespec last = { 0 }, now;

	for (int i = 0; i < LOOKS; i++) {
		usleep(300);
		CHECK_OK(syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now));
		CHECK(now.tv_sec > last.tv_sec || (now.tv_sec == last.tv_sec && now.tv_nsec >= last.tv_nsec));
		last = now;
	}
}

static void has_its_timer(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 2 };
	struct itimerspec v = { ms_span(3), ms_span(3) };
	int timer;

	e._sigev_un._tid = (int)syscall(SYS_gettid);
	CHECK_OK(syscall(SYS_timer_create, CLOCK_MONOTONIC, &e, &timer));
	CHECK_OK(syscall(SYS_timer_settime, timer, 0, &v, NULL));
	WAIT_FOR(calls >= 5);
	CHECK_OK(syscall(SYS_timer_delete, timer));
	CHECK_EQ(elsewhere, 0);
}

static void *body(void *arg)
{
	target = pthread_self();
	has_its_mask();
	has_its_stack();
	has_its_times();
	CHECK_OK(kill(gettid(), 0));
	CHECK_OK(syscall(SYS_kill, gettid(), 0));
	has_its_timer();
	return arg;
}

static void *ends_by_number(void *arg)
{
	CHECK_OK(setpriority(PRIO_PROCESS, (id_t)gettid(), 1));
	syscall(SYS_exit, 0);
	return arg;
}

int main(void)
{
	pthread_t t[4];

	on_signal(SIGUSR1, note, 0);
	on_signal(SIGRTMIN + 2, note, SA_RESTART);
	spawn_many(t, 4, others);
	join(spawn(body, NULL));
	join(spawn(ends_by_number, NULL));
	stop = true;
	join_many(t, 4);
}
