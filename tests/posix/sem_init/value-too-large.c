// SPDX-License-Identifier: BSD-2-Clause
// A start value above SEM_VALUE_MAX is EINVAL; the largest one is fine.
#include "../harness.h"

int main(void)
{
	sem_t s;
	int v;

	CHECK_ERRNO(sem_init(&s, 0, (unsigned)SEM_VALUE_MAX + 1), EINVAL);
	CHECK_OK(sem_init(&s, 0, SEM_VALUE_MAX));
	CHECK_OK(sem_getvalue(&s, &v));
	CHECK_EQ(v, SEM_VALUE_MAX);
	CHECK_OK(sem_destroy(&s));
}
