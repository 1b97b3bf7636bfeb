// SPDX-License-Identifier: BSD-2-Clause
// Threads that are cancelled just before their process is stopped (SIGSTOP), or while it is being stopped, end as ever
// when it goes on (SIGCONT), in whatever wait they are.
#include "../cancel-holding.h"

enum { KINDS = 7, TURNS = 4 };

struct shared {
	atomic_int turn;		/* the one in which the process is to be stopped */
	atomic_int stops;
};

static struct shared *s;
static int p[2];
static sem_t sem;

static void waits(void *arg)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	sigset_t set = set_of(SIGUSR1);
	int kind = (int)(intptr_t)arg, sig;
	char byte;

	switch (kind) {
	case 0: CHECK(read(p[0], &byte, 1) != -1); break;
	case 1: sem_wait(&sem); break;
	case 2: sleep(WATCHDOG_SECONDS); break;
	case 3: poll(&(struct pollfd){ .fd = p[0], .events = POLLIN }, 1, -1); break;
	case 4: pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); break;
	case 5: sigwait(&set, &sig); break;
	case 6:
		CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
		for (;;)
			__asm__ volatile("" ::: "memory");
	}
}

static void stop_parent(void)
{
	pid_t parent = getppid();

	for (int turn = 1;; turn++) {
		while (s->turn < turn)
			usleep(50);
		CHECK_OK(kill(parent, SIGSTOP));
		usleep(2000);
		CHECK_OK(kill(parent, SIGCONT));
		s->stops++;
	}
}

static void cancel_beside_stop(int turn)
{
	struct holder h;

	holder_begin(&h, waits, (void *)(intptr_t)(turn % KINDS));
	if (turn / KINDS % 2)
		usleep(1000);
	s->turn = turn;
	usleep(turn / KINDS * 40);
	CHECK_OK(pthread_cancel(h.thread));
	holder_end(&h);
	CHECK(!h.returned);
	WAIT_FOR(s->stops == turn);
}

int main(void)
{
	pid_t child;

	s = shared_memory(sizeof(*s));
	block_signal(SIGUSR1);
	CHECK_OK(pipe(p));
	CHECK_OK(sem_init(&sem, 0, 0));
	child = fork_watched();
	if (child == 0)
		stop_parent();
	for (int turn = 1; turn <= KINDS * share_of(TURNS); turn++)
		cancel_beside_stop(turn);
	CHECK_OK(kill(child, SIGKILL));
	CHECK_EQ(waitpid(child, NULL, 0), child);
}
