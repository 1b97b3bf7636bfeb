// SPDX-License-Identifier: BSD-2-Clause
// A child that asks to be traced and then makes threads: who traces it sees each thread begin, stop for a signal and end.
#include "../harness.h"
#include <sys/ptrace.h>

enum { THREADS = 3, SIGNALS = 5 };

static void *is_seen(void *arg)
{
	for (int i = 0; i < SIGNALS; i++) {
		raise(SIGUSR1);
		usleep(500);
	}
	return arg;
}

static void be_traced(void)
{
	pthread_t t[THREADS];

	CHECK_OK(ptrace(PTRACE_TRACEME, 0, 0, 0));
	raise(SIGSTOP);
	spawn_many(t, THREADS, is_seen);
	is_seen(NULL);
	join_many(t, THREADS);
	_exit(7);
}

struct seen {
	pid_t tid;
	int signals;
};

static struct seen *find(struct seen *all, pid_t tid)
{
	while (all->tid && all->tid != tid)
		all++;
	all->tid = tid;
	return all;
}

static void trace_a_child(void)
{
	struct seen all[64] = { { 0 } };
	int status, births = 0, ends = 0;
	pid_t pid = fork_watched(), tid;

	if (pid == 0)
		be_traced();
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	CHECK_OK(ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL));
	CHECK_OK(ptrace(PTRACE_CONT, pid, 0, 0));
	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status)) {
			ends++;
			if (tid == pid)
				CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
			continue;
		}
		CHECK(find(all, tid) < all + 63);
		births += status >> 8 == (SIGTRAP | PTRACE_EVENT_CLONE << 8);
		find(all, tid)->signals += WSTOPSIG(status) == SIGUSR1;
		ptrace(PTRACE_CONT, tid, 0, 0);
	}
	CHECK_EQ(errno, ECHILD);
	CHECK_EQ(births, THREADS);
	CHECK_EQ(ends, THREADS + 1);
	CHECK_EQ(all[THREADS].signals, SIGNALS);
	for (int i = 0; i <= THREADS; i++)
		CHECK_EQ(all[i].signals, SIGNALS);
}

int main(void)
{
	trace_a_child();
	join(spawn(nothing, NULL));
	trace_a_child();
}
