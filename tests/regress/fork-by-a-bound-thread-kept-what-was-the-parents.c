// SPDX-License-Identifier: BSD-2-Clause
// The child of a thread with a kernel thread of its own kept the parent's signals that waited for a thread, the locks
// that others held at that moment, and the count of threads that block a signal.
#include "../posix/harness.h"
#include <sys/wait.h>

enum { FORKS = 200, SENDERS = 2 };

static atomic_bool is_over;
static volatile sig_atomic_t handled;

static void on_usr1(int sig UNUSED)
{
	handled++;
}

/* Nobody admits it most of the time, so that it waits. */
static void *sends(void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (unsigned i = 0; !is_over; i++) {
		CHECK_OK(kill(getpid(), SIGUSR1));
		if (arg && i % 8 == 0) {
			CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
			CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
		}
		if (i % 64 == 0)
			usleep(10);
	}
	return NULL;
}

static void be_a_child(void)
{
	sigset_t set, pending;

	handled = 0;
	CHECK_OK(sigpending(&pending));
	CHECK(!sigismember(&pending, SIGUSR1));
	join(spawn(nothing, NULL));
	CHECK_EQ(handled, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK_OK(kill(getpid(), SIGUSR1));
	CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
	CHECK_EQ(handled, 1);
	_exit(0);
}

static void *forks(void *arg UNUSED)
{
	cpu_set_t set;
	int status, cpu = sched_getcpu();

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof(set), &set));
	for (int i = 0; i < FORKS; i++) {
		pid_t pid = fork_watched();

		if (pid == 0)
			be_a_child();
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_usr1, .sa_flags = SA_RESTART };
	pthread_t t[SENDERS];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
	CHECK_OK(sigaction(SIGUSR1, &action, NULL));
	for (intptr_t i = 0; i < SENDERS; i++)
		t[i] = spawn(sends, (void *)i);
	join(spawn(forks, NULL));
	is_over = true;
	join_many(t, SENDERS);
}
