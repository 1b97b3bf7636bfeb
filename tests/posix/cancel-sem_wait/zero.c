// SPDX-License-Identifier: BSD-2-Clause
// sem_wait and sem_timedwait are cancellation points; a cancelled waiter takes nothing.
#include "../cancel.h"

static void with_wait(void *arg)
{
	sem_wait(arg);
}

static void with_timedwait(void *arg)
{
	struct timespec at = in_ms(CLOCK_REALTIME, WATCHDOG_SECONDS * 1000);

	sem_timedwait(arg, &at);
}

int main(void)
{
	sem_t s;
	int v = -1;

	CHECK_OK(sem_init(&s, 0, 0));
	check_cancels(with_wait, &s);
	check_cancels(with_timedwait, &s);
	CHECK_OK(sem_post(&s));
	CHECK_OK(sem_getvalue(&s, &v));
	CHECK_EQ(v, 1);
	CHECK_OK(sem_trywait(&s));
}
