// SPDX-License-Identifier: BSD-2-Clause
// syscall(SYS_set_tid_address) says the caller's number, as gettid does, and threads still end.
#include "../harness.h"
#include <sys/prctl.h>
#include <sys/syscall.h>

/* With the address that it has, so that nothing changes. */
static void *body(void *arg)
{
	int *address = NULL;

	if (prctl(PR_GET_TID_ADDRESS, &address, 0, 0, 0) == 0)
		CHECK_EQ(syscall(SYS_set_tid_address, address), gettid());
	return arg;
}

int main(void)
{
	pthread_t t[4];

	body(NULL);
	for (int round = 0; round < 20; round++) {
		spawn_many(t, 4, body);
		join_many(t, 4);
	}
	body(NULL);
}
