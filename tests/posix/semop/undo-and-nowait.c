// SPDX-License-Identifier: BSD-2-Clause
// semop: EAGAIN with IPC_NOWAIT, several operations as one, EIDRM for a waiter when the set is removed.
#include "../harness.h"

#include <sys/sem.h>

static int id;

static void *waits(void *arg)
{
	struct sembuf down = { 0, -1, 0 };

	CHECK_ERRNO(semop(id, &down, 1), EIDRM);
	return arg;
}

int main(void)
{
	struct sembuf both[2] = { { 0, 1, 0 }, { 1, -1, IPC_NOWAIT } }, down = { 0, -1, IPC_NOWAIT };
	pthread_t t;

	id = semget(IPC_PRIVATE, 2, 0600);
	if (id < 0)
		skip("no System V semaphores here");
	t = spawn(waits, NULL);
	WAIT_FOR(semctl(id, 0, GETNCNT) == 1);
	CHECK_ERRNO(semop(id, &down, 1), EAGAIN);
	CHECK_ERRNO(semop(id, both, 2), EAGAIN);
	CHECK_EQ(semctl(id, 0, GETVAL), 0);
	CHECK_OK(semctl(id, 0, IPC_RMID));
	join(t);
}
