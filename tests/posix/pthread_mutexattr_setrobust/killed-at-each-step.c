// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_mutex_lock: where the process that owns a robust mutex ends, the next one who locks it is told
// EOWNERDEAD.  A process is killed after each of the instructions of a lock and an unlock (as many as time allows): who
// waits and who comes later, in another process, get the mutex, and half done data only with EOWNERDEAD.
#include "../robust.h"
#include <sys/ptrace.h>

enum { STEPS_MAX = 20000, PART_MS = 600 };

struct shared {
	pthread_mutex_t m;
	volatile unsigned left, right;
	volatile int stage;		/* of the child: 1 about to lock, 2 has it, 3 has given it up */
};

static struct shared *s;
static atomic_int waiting;

static void use(int rc)
{
	if (rc == EOWNERDEAD) {
		s->right = s->left;
		CHECK_OK(pthread_mutex_consistent(&s->m));
	} else {
		CHECK_EQ(rc, 0);
	}
	CHECK_EQ(s->left, s->right);
	CHECK_OK(pthread_mutex_unlock(&s->m));
}

static void *waits(void *arg)
{
	waiting = 1;
	use(pthread_mutex_lock(&s->m));
	return arg;
}

static void be_stepped(void)
{
	CHECK_OK(ptrace(PTRACE_TRACEME, 0, 0, 0));
	raise(SIGSTOP);
	s->stage = 1;
	CHECK_OK(pthread_mutex_lock(&s->m));
	s->stage = 2;
	s->left = s->left + 1;
	s->right = s->right + 1;
	CHECK_OK(pthread_mutex_unlock(&s->m));
	s->stage = 3;
	for (;;)
		pause();
}

static pid_t stopped_child(void)
{
	int status;
	pid_t pid;

	s->stage = 0;
	pid = fork_watched();
	if (pid == 0)
		be_stepped();
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		skip("a child may not be traced");
	CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	return pid;
}

static void step(pid_t pid)
{
	int status;

	CHECK_OK(ptrace(PTRACE_SINGLESTEP, pid, 0, 0));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSTOPPED(status));
}

static void finish(pid_t pid)
{
	CHECK_OK(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

/* Which steps have just something to do with the mutex: from `first` on, `last` is the last. */
static void find_steps(int *first, int *last)
{
	pid_t pid = stopped_child();
	int n = 0;

	for (*first = 0; s->stage < 3 && n < STEPS_MAX; n++) {
		step(pid);
		if (!*first && s->stage == 1)
			*first = n;
	}
	CHECK_EQ(s->stage, 3);
	*last = n;
	finish(pid);
	use(pthread_mutex_lock(&s->m));
}

static void kill_at(int n, bool is_waited_for)
{
	pid_t pid = stopped_child();
	pthread_t t;
	bool has_waiter = false;

	waiting = 0;
	for (int i = 0; i < n && s->stage < 3; i++) {
		step(pid);
		if (!is_waited_for || has_waiter || s->stage != 2)
			continue;
		has_waiter = true;
		t = spawn(waits, NULL);
		WAIT_FOR(waiting);
		usleep(500);
	}
	finish(pid);
	if (has_waiter)
		join(t);
	use(pthread_mutex_trylock(&s->m));
	use(pthread_mutex_lock(&s->m));
}

/* The steps in an order that spreads them, however few there is time for. */
static void kill_at_each(bool is_waited_for)
{
	uint64_t end = now_ns() + PART_MS * 1000000ull;
	int first, last, n, by = 89;

	find_steps(&first, &last);
	n = last - first + 1;
	while (n % by == 0)
		by += 2;
	for (int i = 0, at = (int)(getpid() % n); i < n && now_ns() < end; i++, at = (at + by) % n)
		if (is_due((unsigned)i, 4))
			kill_at(first + at, is_waited_for);
}

int main(void)
{
	s = shared_memory(sizeof *s);
	robust_init(&s->m, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
	use(pthread_mutex_lock(&s->m));		/* the loader's steps have been taken */
	kill_at_each(false);		/* by a process that never had another thread */
	kill_at_each(true);
	kill_at_each(false);
	CHECK_OK(pthread_mutex_destroy(&s->m));
}
