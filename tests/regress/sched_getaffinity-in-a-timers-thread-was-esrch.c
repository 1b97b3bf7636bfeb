// SPDX-License-Identifier: BSD-2-Clause
// In a thread that libc makes for a timer (SIGEV_THREAD) no other thread was known by the number that gettid had given it,
// before that one had called something else.
#include "../posix/harness.h"
#include <sys/resource.h>

enum { GETS_AFFINITY, SETS_PRIORITY, MAKES_A_TIMER, WAYS, NICEST = 19 };

static atomic_int tid;
static sem_t done;
static atomic_bool is_over;

static void calls(union sigval v)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3 };
	cpu_set_t set;
	timer_t timer;

	switch (v.sival_int) {
	case GETS_AFFINITY:
		CHECK_OK(sched_getaffinity(tid, sizeof set, &set));
		break;
	case SETS_PRIORITY:
		CHECK_OK(setpriority(PRIO_PROCESS, (id_t)tid, NICEST));
		CHECK_EQ(getpriority(PRIO_PROCESS, (id_t)tid), NICEST);
		break;
	default:
		e._sigev_un._tid = tid;
		CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
		CHECK_OK(timer_delete(timer));
	}
	CHECK_OK(sem_post(&done));
}

static void *waits(void *arg)
{
	tid = (int)syscall(SYS_gettid);
	while (!is_over)
		sleep_ms(1);
	return arg;
}

int main(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = calls };
	struct itimerspec v = { .it_value = ms_span(1) };
	pthread_t t = spawn(waits, NULL);
	timer_t timer;

	CHECK_OK(sem_init(&done, 0, 0));
	WAIT_FOR(tid);
	for (int way = 0; way < WAYS; way++) {
		e.sigev_value.sival_int = way;
		CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &timer));
		CHECK_OK(timer_settime(timer, 0, &v, NULL));
		CHECK_OK(sem_wait(&done));
		CHECK_OK(timer_delete(timer));
	}
	is_over = true;
	join(t);
}
