// SPDX-License-Identifier: BSD-2-Clause
// clone with CLONE_VM and CLONE_VFORK, as Qt's QProcess: the child sets its signals and descriptors and executes,
// on a stack of its own; the thread waits for that, others do not, and what it was stays as it was.
#include "../harness.h"

enum { ROUNDS = 20 };

static atomic_int ticks;
static atomic_bool over;
static int out;

static void *other(void *arg)
{
	while (!over) {
		ticks++;
		sleep_ms(1);
	}
	return arg;
}

static int execs(void *arg)
{
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	dup2(out, 1);
	if (write(1, "x", 1) != 1)
		_exit(98);
	execl("/bin/sh", "sh", "-c", (char *)arg, (char *)NULL);
	_exit(99);
}

static int ends(void *arg)
{
	return (int)(intptr_t)arg;
}

static void wait_for(pid_t pid, int code)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), code);
}

static void *body(void *arg)
{
	char *stack = malloc(1 << 16), byte;
	int p[2];
	sigset_t set, now;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_EQ(pipe2(p, O_CLOEXEC), 0);
		out = p[1];
		wait_for(clone(execs, stack + (1 << 16), CLONE_VM | CLONE_VFORK | SIGCHLD, "exit 7"), 7);
		close(p[1]);
		CHECK_EQ(read(p[0], &byte, 1), 1);
		close(p[0]);
		wait_for(clone(ends, stack + (1 << 16), CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)3), 3);
		pthread_sigmask(SIG_SETMASK, NULL, &now);
		CHECK(sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGUSR2) == 0);
		struct sigaction action;

		CHECK_EQ(sigaction(SIGPIPE, NULL, &action), 0);
		CHECK(action.sa_handler == SIG_IGN);
	}
	CHECK_EQ(clone(ends, stack + (1 << 16), CLONE_VM | CLONE_VFORK | CLONE_SIGHAND | CLONE_THREAD | CLONE_NEWPID, NULL),
		 -1);
	CHECK(errno == EINVAL || errno == EPERM);	/* the latter by a container's filter */
	free(stack);
	return arg;
}

int main(void)
{
	body(NULL);
	pthread_t t = spawn(other, NULL);

	WAIT_FOR(ticks > 0);
	join(spawn(body, NULL));
	body(NULL);
	over = true;
	join(t);
	return 0;
}
