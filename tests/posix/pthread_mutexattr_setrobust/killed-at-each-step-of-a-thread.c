// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_mutex_lock: where the process that owns a robust mutex ends, the next one who locks it is told
// EOWNERDEAD: wherever in a lock or an unlock by another thread than main it was killed.
#include "steps.h"

enum { PART_MS = 150 };

/* What the kernel calls the calling thread, which has locked such a mutex before: that may tie it to the number. */
static int kernel_tid(void)
{
	char link[64] = { 0 };
	int tid = 0;

	CHECK(readlink("/proc/thread-self", link, sizeof(link) - 1) > 0);
	CHECK_EQ(sscanf(link, "%*d/task/%d", &tid), 1);
	return tid;
}

static void *is_stepped(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&s->m));
	CHECK_OK(pthread_mutex_unlock(&s->m));
	s->tid = kernel_tid();
	while (!s->go)
		;
	lock_once();
	for (;;)
		pause();
	return arg;
}

static struct stepped stopped_child(void)
{
	struct stepped c;
	int status;

	s->tid = 0;
	s->go = false;
	c.pid = fork_watched();
	if (c.pid == 0) {
		join(spawn(is_stepped, NULL));
		_exit(1);
	}
	for (uint64_t end = now_ns() + PATIENCE_MS * 1000000ull; !s->tid;) {
		CHECK(now_ns() < end);
		usleep(50);
	}
	c.tid = s->tid;
	CHECK(c.tid != c.pid);
	if (ptrace(PTRACE_SEIZE, c.tid, 0, 0))
		skip("a child may not be traced");
	CHECK_OK(ptrace(PTRACE_INTERRUPT, c.tid, 0, 0));
	CHECK_EQ(waitpid(c.tid, &status, __WALL), c.tid);
	CHECK(WIFSTOPPED(status));
	s->go = true;
	return c;
}

int main(void)
{
	make_shared();
	kill_at_each(false, PART_MS);
	kill_at_each(true, PART_MS);
	CHECK_OK(pthread_mutex_destroy(&s->m));
}
