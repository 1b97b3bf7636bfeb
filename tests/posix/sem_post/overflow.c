// SPDX-License-Identifier: BSD-2-Clause
// sem_post beyond SEM_VALUE_MAX fails with EOVERFLOW; sem_init with more is EINVAL.
#include "../harness.h"

int main(void)
{
	sem_t s;
	int v = -1;

	CHECK_ERRNO(sem_init(&s, 0, (unsigned int)SEM_VALUE_MAX + 1), EINVAL);
	CHECK_OK(sem_init(&s, 0, SEM_VALUE_MAX));
	CHECK_ERRNO(sem_post(&s), EOVERFLOW);
	CHECK_OK(sem_getvalue(&s, &v));
	CHECK_EQ(v, SEM_VALUE_MAX);
}
