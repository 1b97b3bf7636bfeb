// SPDX-License-Identifier: BSD-2-Clause
// A pending cancellation acts in sem_wait even if the semaphore is above zero, which stays as it is.
#include "../cancel.h"

static sem_t s;

static void call(void *arg UNUSED)
{
	sem_wait(&s);
}

int main(void)
{
	int v;

	CHECK_OK(sem_init(&s, 0, 3));
	check_cancels_pending(call, NULL);
	CHECK_OK(sem_getvalue(&s, &v));
	CHECK_EQ(v, 3);
}
