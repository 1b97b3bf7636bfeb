// SPDX-License-Identifier: BSD-2-Clause
// A semaphore that is above zero is taken even if the time has passed.
#include "../harness.h"

int main(void)
{
	struct timespec at = in_ms(CLOCK_REALTIME, -1000);
	sem_t s;

	CHECK_OK(sem_init(&s, 0, 2));
	CHECK_OK(sem_timedwait(&s, &at));
	CHECK_OK(sem_clockwait(&s, CLOCK_REALTIME, &at));
	CHECK_ERRNO(sem_timedwait(&s, &at), ETIMEDOUT);
}
