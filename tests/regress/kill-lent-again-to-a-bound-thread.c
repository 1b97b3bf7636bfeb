// SPDX-License-Identifier: BSD-2-Clause
// A bound thread in a handler gave back a signal of the process that the handler blocks, and, its
// mask being noted as that outside of the handler, was lent it again, until its stack was full.
#include "../posix/harness.h"

enum { ROUNDS = 20000, SECONDS = 3 };

static sem_t go;
static atomic_int handled;
static atomic_bool over;

static void handler(int sig UNUSED)
{
	handled++;
	CHECK_OK(sem_post(&go));	/* the next one comes while this one is handled */
}

static void *admits(void *arg UNUSED)
{
	unblock_signal(SIGUSR1);
	errno = 0;
	nice(1);			/* the kernel's to keep, for this thread alone */
	CHECK_EQ(errno, 0);
	while (!over)
		sched_yield();
	block_signal(SIGUSR1);
	return NULL;
}

int main(void)
{
	uint64_t stop = now_ns() + SECONDS * UINT64_C(1000000000);

	on_signal(SIGUSR1, handler, SA_RESTART);
	block_signal(SIGUSR1);
	CHECK_OK(sem_init(&go, 0, 0));

	pthread_t t = spawn(admits, NULL);
	int sent = 0;

	for (; sent < ROUNDS && now_ns() < stop; sent++) {
		CHECK_OK(kill(getpid(), SIGUSR1));
		CHECK_OK(sem_wait(&go));
	}
	over = true;
	join(t);
	CHECK_EQ(handled, sent);
}
