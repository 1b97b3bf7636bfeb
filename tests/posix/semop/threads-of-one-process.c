// SPDX-License-Identifier: BSD-2-Clause
// System V semaphores: a thread waits in semop, another lets it go on; semtimedop times out.
#include "../harness.h"
#include <sys/ipc.h>
#include <sys/sem.h>

static int id;
static atomic_int rounds;

static void change(unsigned short which, short by)
{
	struct sembuf b = { .sem_num = which, .sem_op = by };

	while (semop(id, &b, 1) == -1)
		CHECK_EQ(errno, EINTR);
}

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < 50; i++) {
		change(0, -1);
		rounds++;
		change(1, 1);
	}
	return NULL;
}

int main(void)
{
	struct sembuf b = { .sem_num = 0, .sem_op = -1 };
	struct timespec t20 = ms_span(20);
	pthread_t t;

	id = semget(IPC_PRIVATE, 2, 0600 | IPC_CREAT);
	if (id == -1)
		skip("no System V semaphores here");
	CHECK_ERRNO(semtimedop(id, &b, 1, &t20), EAGAIN);
	t = spawn(body, NULL);
	for (int i = 1; i <= 50; i++) {
		change(0, 1);
		change(1, -1);
		CHECK_EQ(rounds, i);
	}
	join(t);
	CHECK_OK(semctl(id, 0, IPC_RMID));
}
