// SPDX-License-Identifier: BSD-2-Clause
// A signal of the process that came while a kernel thread changed from a thread that admits it to one
// that blocks it was kept for the latter.
#include "../posix/harness.h"

enum { ROUNDS = 20000, SECONDS = 5 };	/* on one processor a round takes some milliseconds */

static atomic_int *sent, *handled;
static sem_t turn[2];
static atomic_bool over;

static void handler(int sig UNUSED)
{
	atomic_fetch_add(handled, 1);
}

/* Two that take turns: one admits the signal, the other blocks it. */
static void *body(void *arg)
{
	int i = (int)(intptr_t)arg;

	if (i == 0)
		unblock_signal(SIGUSR1);
	while (!over) {
		while (sem_wait(&turn[i]) != 0)
			CHECK_EQ(errno, EINTR);
		CHECK_OK(sem_post(&turn[!i]));
	}
	CHECK_OK(sem_post(&turn[!i]));
	return NULL;
}

static void send_all(pid_t to)
{
	uint64_t stop = now_ns() + SECONDS * UINT64_C(1000000000);

	for (int i = 0; i < ROUNDS && now_ns() < stop; i++) {
		*sent = i + 1;
		CHECK_OK(kill(to, SIGUSR1));
		for (uint64_t end = now_ns() + 10000000000; *handled <= i; sched_yield())
			CHECK(now_ns() < end);
	}
}

int main(void)
{
	pthread_t t[2];
	int status;

	sent = shared_memory(4096);
	handled = sent + 1;
	on_signal(SIGUSR1, handler, SA_RESTART);
	block_signal(SIGUSR1);
	for (int i = 0; i < 2; i++)
		CHECK_OK(sem_init(&turn[i], 0, 0));

	pid_t child = fork_watched();

	if (child == 0) {
		send_all(getppid());
		_exit(0);
	}
	spawn_many(t, 2, body);
	CHECK_OK(sem_post(&turn[0]));
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	over = true;
	join_many(t, 2);
	CHECK_EQ(*handled, *sent);
}
