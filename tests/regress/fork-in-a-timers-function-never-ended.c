// SPDX-License-Identifier: BSD-2-Clause
// A child was forked by a thread of libc's own, which calls the function of a timer, and made a thread.  When that
// function returned, its kernel thread ended as one that was ours, and the child did not end with its last thread.
#include "../posix/harness.h"

struct shared { atomic_int has_run; };

static struct shared *shared;
static atomic_int child;

static void *body(void *arg)
{
	unblock_signal(SIGALRM);	/* fork_watched */
	for (int i = 0; i < 3; i++)
		settle();		/* who made it has ended */
	shared->has_run++;
	return arg;
}

static void tick(union sigval value UNUSED)
{
	pid_t pid = fork_watched();

	if (pid)
		child = pid;
	else
		spawn(body, NULL);
}

int main(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick };
	struct itimerspec once = { .it_value = ms_span(1) };
	timer_t timer;
	int status;

	shared = shared_memory(sizeof *shared);
	join(spawn(nothing, NULL));
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
	CHECK_OK(timer_settime(timer, 0, &once, NULL));
	WAIT_FOR(child);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	CHECK_EQ(shared->has_run, 1);
	CHECK_OK(timer_delete(timer));
}
