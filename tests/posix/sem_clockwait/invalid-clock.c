// SPDX-License-Identifier: BSD-2-Clause
// sem_clockwait with a CPU-time clock is EINVAL.
#include "../harness.h"

int main(void)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 20);
	sem_t s;

	CHECK_OK(sem_init(&s, 0, 0));
	CHECK_ERRNO(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &at), EINVAL);
	CHECK_ERRNO(sem_clockwait(&s, CLOCK_REALTIME, &at), ETIMEDOUT);
}
