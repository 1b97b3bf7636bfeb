// SPDX-License-Identifier: BSD-2-Clause
// Opening a name again in one process gives the same address, and the first value stays.
#include "../harness.h"

int main(void)
{
	char name[64];
	sem_t *a, *b;
	int v;

	snprintf(name, sizeof name, "/upcall-test-%d", (int)getpid());
	a = sem_open(name, O_CREAT, 0600, 3);
	if (a == SEM_FAILED)
		skip("no named semaphores here");
	b = sem_open(name, O_CREAT, 0600, 7);
	CHECK(a == b);
	CHECK_OK(sem_getvalue(b, &v));
	CHECK_EQ(v, 3);
	CHECK_OK(sem_unlink(name));
	CHECK_OK(sem_close(a));
	CHECK_OK(sem_close(b));
}
