// SPDX-License-Identifier: BSD-2-Clause
// In the child of a process with threads, main makes a thread and leaves by pthread_exit: the process went with it.
// So it did where such threads are kernel threads, as by a real-time policy.
#include "../posix/harness.h"

static void *works(void *arg)
{
	sleep_ms(50);
	_exit(7);
	return arg;
}

static void child(void)
{
	spawn(works, NULL);
	pthread_exit(NULL);
}

static void real_time_child(void)
{
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ 1 });	/* where that is allowed */
	child();
}

static void lonely_child(void)
{
	pthread_exit(NULL);
}

int main(void)
{
	join(spawn(nothing, NULL));
	CHECK_EQ(WEXITSTATUS(in_child(child)), 7);
	CHECK_EQ(WEXITSTATUS(in_child(real_time_child)), 7);
	CHECK_EQ(in_child(lonely_child), 0);
}
