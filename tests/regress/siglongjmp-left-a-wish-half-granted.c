// SPDX-License-Identifier: BSD-2-Clause
// A thread whose handler jumps was given a scheduling policy by another: the jump left the middle of that, so that it
// never got it, or its signals stayed behind.
#include "../stress/stress.h"
#include <setjmp.h>
#include <sys/syscall.h>

enum { ROUNDS = 60 };

static pthread_t jumper;
static atomic_bool has_begun, has_it, is_over;
static atomic_int jumps;
static __thread sigjmp_buf out;
static __thread volatile sig_atomic_t may_jump;

static void on_usr1(int sig UNUSED)
{
	if (may_jump)
		siglongjmp(out, 1);
}

static void *computes(void *arg UNUSED)
{
	while (!is_over) {
		if (sigsetjmp(out, 1)) {
			jumps++;
			continue;
		}
		may_jump = 1;
		has_begun = true;
		for (volatile int i = 0; i < 2000; i++)
			;
		has_it = raw_syscall(SYS_sched_getscheduler, 0, 0, 0, 0) == SCHED_BATCH;	/* what the kernel knows */
	}
	may_jump = 0;
	return NULL;
}

static void *sends(void *arg UNUSED)
{
	while (!is_over) {
		kill_if_there(jumper, SIGUSR1);
		for (volatile int i = 0; i < 20000; i++)
			;
	}
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_usr1 };
	const struct sched_param param = { 0 };

	CHECK_OK(sigaction(SIGUSR1, &action, NULL));
	for (int round = 0; round < ROUNDS; round++) {
		is_over = has_it = has_begun = false;
		jumper = spawn(computes, NULL);
		WAIT_FOR(has_begun);
		int before = jumps;
		pthread_t sender = spawn(sends, NULL);

		WAIT_FOR(jumps != before);
		CHECK_OK(pthread_setschedparam(jumper, SCHED_BATCH, &param));
		WAIT_FOR(has_it);
		before = jumps;
		WAIT_FOR(jumps != before);	/* signals reach it still */
		is_over = true;
		join(sender);
		join(jumper);
	}
}
