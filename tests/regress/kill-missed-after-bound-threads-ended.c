// SPDX-License-Identifier: BSD-2-Clause
// Bound threads that had ended still counted as blocking a signal: that which only a waiting thread
// admitted was taken by nobody.
#include "../posix/harness.h"

static sem_t never;
static atomic_int handled;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *binds(void *arg)
{
	errno = 0;
	nice(1);		/* the kernel's to keep, for this thread alone */
	CHECK_EQ(errno, 0);
	return arg;
}

static void *waits(void *arg)
{
	unblock_signal(SIGUSR1);
	CHECK_ERRNO(sem_wait(&never), EINTR);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);
	CHECK_OK(sem_init(&never, 0, 0));
	for (int i = 0; i < 4; i++)
		join(spawn(binds, NULL));

	pthread_t t = spawn(waits, NULL);
	pid_t child;
	int status;

	settle();
	child = fork_watched();
	if (child == 0) {
		CHECK_OK(kill(getppid(), SIGUSR1));
		_exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	join(t);
	CHECK_EQ(handled, 1);
}
