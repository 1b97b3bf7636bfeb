// SPDX-License-Identifier: BSD-2-Clause
// Who may not make another thread less nice is told so; and nobody is nicer than 19.
#include "../unprivileged.h"

static sem_t end;
static atomic_int tid;

static void *waits(void *arg)
{
	tid = gettid();
	CHECK_OK(sem_wait(&end));
	return arg;
}

int main(void)
{
	drop_scheduling();
	CHECK_OK(sem_init(&end, 0, 0));
	pthread_t t = spawn(waits, NULL);

	WAIT_FOR(tid);
	CHECK_ERRNO(setpriority(PRIO_PROCESS, (id_t)tid, -10), EACCES);
	CHECK_OK(setpriority(PRIO_PROCESS, (id_t)tid, 100));
	CHECK_EQ(getpriority(PRIO_PROCESS, (id_t)tid), 19);
	CHECK_ERRNO(setpriority(PRIO_PROCESS, (id_t)tid, 18), EACCES);
	CHECK_OK(sem_post(&end));
	join(t);
	return 0;
}
