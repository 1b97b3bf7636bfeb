// SPDX-License-Identifier: BSD-2-Clause
// sem_trywait fails with EAGAIN at zero and takes one otherwise.
#include "../harness.h"

int main(void)
{
	sem_t s;

	CHECK_OK(sem_init(&s, 0, 2));
	CHECK_OK(sem_trywait(&s));
	CHECK_OK(sem_trywait(&s));
	CHECK_ERRNO(sem_trywait(&s), EAGAIN);
	CHECK_OK(sem_post(&s));
	CHECK_OK(sem_trywait(&s));
}
