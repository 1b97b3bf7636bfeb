// SPDX-License-Identifier: BSD-2-Clause
// A handler that jumped out of a wait for signals left the thread as if it waited still: signals that it blocks
// were kept for it, and it was never preempted.
#include "../posix/harness.h"

#include <setjmp.h>

enum wait { SIGWAIT, SIGTIMEDWAIT, SIGSUSPEND, PPOLL, WAITS };

static enum wait how;
static sigjmp_buf before;
static sem_t is_out, leave;
static atomic_bool may_jump, other_ran;
static atomic_int handled;

static void jump_out(int sig UNUSED)
{
	siglongjmp(before, 1);
}

static void count(int sig UNUSED)
{
	handled++;
}

static void wait_for_it(void)
{
	struct timespec patience = { .tv_sec = 30 };
	sigset_t set = set_of(SIGUSR1);
	int sig;

	if (how == SIGWAIT) {
		sigwait(&set, &sig);
	} else if (how == SIGTIMEDWAIT) {
		sigtimedwait(&set, NULL, &patience);
	} else {
		sigemptyset(&set);
		if (how == SIGSUSPEND)
			sigsuspend(&set);
		else
			ppoll(NULL, 0, &patience, &set);
	}
	CHECK(!"the wait came to an end");
}

static void sem_wait_all(sem_t *s)
{
	while (sem_wait(s) != 0)
		CHECK_EQ(errno, EINTR);
}

/* Both signals are blocked here, but in the wait. */
static void *waits(void *other)
{
	if (how == SIGWAIT || how == SIGTIMEDWAIT)
		unblock_signal(SIGUSR2);
	if (sigsetjmp(before, 1) == 0) {
		may_jump = true;
		wait_for_it();
	}
	block_signal(SIGUSR2);
	CHECK_OK(sem_post(other));
	for (uint64_t end = now_ns() + 10000000000; !other_ran;)	/* it makes no call: another is to have a turn */
		CHECK(now_ns() < end);
	CHECK_OK(sem_post(&is_out));
	sem_wait_all(&leave);
	return NULL;
}

static void *admits(void *go)
{
	sem_wait_all(go);
	other_ran = true;
	unblock_signal(SIGUSR1);
	sem_wait_all(&leave);
	return NULL;
}

static void *reads(void *fd)
{
	char c;

	CHECK_EQ(read(*(int *)fd, &c, 1), 0);
	return NULL;
}

/* With a thread that waits for a descriptor, others that wait do so in user space. */
static void one(bool with_reader)
{
	pthread_t waiter, other, reader = 0;
	int pipe_fd[2];
	sem_t go;

	may_jump = other_ran = false;
	handled = 0;
	CHECK_OK(sem_init(&go, 0, 0));
	CHECK_OK(sem_init(&is_out, 0, 0));
	CHECK_OK(sem_init(&leave, 0, 0));
	CHECK_OK(pipe(pipe_fd));
	if (with_reader)
		reader = spawn(reads, &pipe_fd[0]);
	other = spawn(admits, &go);
	waiter = spawn(waits, &go);
	WAIT_FOR(may_jump);		/* until then `before` is of a thread that has ended */
	settle();
	CHECK_OK(pthread_kill(waiter, SIGUSR2));
	sem_wait_all(&is_out);
	settle();

	pid_t child = fork_watched();

	if (child == 0)
		_exit(kill(getppid(), SIGUSR1));
	CHECK_EQ(waitpid(child, NULL, 0), child);
	WAIT_FOR(handled == 1);
	CHECK_OK(sem_post(&leave));
	CHECK_OK(sem_post(&leave));
	CHECK_OK(close(pipe_fd[1]));
	join(waiter);
	join(other);
	if (with_reader)
		join(reader);
	CHECK_OK(close(pipe_fd[0]));
}

int main(void)
{
	cpu_set_t cpus;

	CHECK_OK(sched_getaffinity(0, sizeof(cpus), &cpus));
	for (int i = 0, n = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &cpus) && n++)
			CPU_CLR(i, &cpus);
	CHECK_OK(sched_setaffinity(0, sizeof(cpus), &cpus));	/* so that one cannot run beside another */
	on_signal(SIGUSR1, count, SA_RESTART);
	on_signal(SIGUSR2, jump_out, 0);
	block_signal(SIGUSR1);
	block_signal(SIGUSR2);
	for (how = SIGWAIT; how < WAITS; how++)
		for (int with_reader = 0; with_reader < 2; with_reader++)
			one(with_reader);
}
