// SPDX-License-Identifier: BSD-2-Clause
// What libc has for its own libraries: __sched_setscheduler, __sched_getscheduler and __sched_getparam are the same calls.
#include "../harness.h"

int __sched_setscheduler(pid_t pid, int policy, const struct sched_param *param);
int __sched_getscheduler(pid_t pid);
int __sched_getparam(pid_t pid, struct sched_param *param);

static atomic_int number;
static atomic_bool stop;

static void *waits(void *arg)
{
	number = gettid();
	while (!stop)
		sleep_ms(1);
	return arg;
}

static void *asks(void *arg)
{
	pid_t who = (pid_t)(intptr_t)arg;
	struct sched_param p = { .sched_priority = 77 };

	CHECK_EQ(__sched_getscheduler(who), SCHED_OTHER);
	CHECK_OK(__sched_getparam(who, &p));
	CHECK_EQ(p.sched_priority, 0);
	CHECK_ERRNO(__sched_setscheduler(who, 4711, &p), EINVAL);
	CHECK_OK(__sched_setscheduler(who, SCHED_BATCH, &p));
	CHECK_EQ(sched_getscheduler(who), SCHED_BATCH);
	CHECK_EQ(__sched_getscheduler(who), SCHED_BATCH);
	return NULL;
}

/* Nobody else has the policy that one has asked for. */
static void *is_as_before(void *arg)
{
	for (int i = 0; i < 20; i++) {
		CHECK_EQ(__sched_getscheduler(0), SCHED_OTHER);
		CHECK_EQ(sched_getscheduler(getpid()), SCHED_OTHER);
		sched_yield();
	}
	return arg;
}

int main(void)
{
	pthread_t t = spawn(waits, NULL);

	WAIT_FOR(number);
	join(spawn(asks, NULL));
	join(spawn(is_as_before, NULL));
	join(spawn(asks, (void *)(intptr_t)number));
	join(spawn(is_as_before, NULL));
	CHECK_EQ(__sched_getscheduler(0), SCHED_OTHER);
	stop = true;
	join(t);
}
