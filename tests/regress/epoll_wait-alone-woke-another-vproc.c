// SPDX-License-Identifier: BSD-2-Clause
// A lone thread that waits in epoll_wait blocks in the kernel.  Another vproc slept in the runtime's poller meanwhile,
// where the same instance was known from an earlier wait, and was woken by each event beside it.
#include "../posix/harness.h"
#include <dirent.h>
#include <sys/epoll.h>
#include <sys/wait.h>

enum { ROUNDS = 2000 };

static atomic_bool is_over;

static long switches_of(const char *task)
{
	char path[300], line[256];
	long n = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", task);
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "voluntary_ctxt_switches: %ld", &n);
	if (f)
		fclose(f);
	return n;
}

/* How often the process's kernel threads have gone to sleep so far. */
static long switches(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *d;
	long n = 0;

	CHECK(tasks != NULL);
	while ((d = readdir(tasks)))
		if (d->d_name[0] != '.')
			n += switches_of(d->d_name);
	closedir(tasks);
	return n;
}

static void *keeps_ready(void *arg)
{
	while (!is_over)
		sched_yield();
	return arg;
}

/* The other process: a byte there and back. */
static void play(int from, int to, int rounds)
{
	char byte = 0;

	for (int i = 0; i < rounds; i++) {
		CHECK_EQ(write(to, &byte, 1), 1);
		CHECK_EQ(read(from, &byte, 1), 1);
	}
	_exit(0);
}

static void answer(int ep, int from, int to, int rounds)
{
	struct epoll_event event;
	char byte;

	for (int i = 0; i < rounds; i++) {
		CHECK_EQ(epoll_wait(ep, &event, 1, -1), 1);
		CHECK_EQ(read(from, &byte, 1), 1);
		CHECK_EQ(write(to, &byte, 1), 1);
	}
}

int main(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int there[2], back[2], ep = epoll_create1(0);
	const int few = 20;

	CHECK_OK(pipe(there));
	CHECK_OK(pipe(back));
	CHECK_OK(epoll_ctl(ep, EPOLL_CTL_ADD, there[0], &event));
	pid_t pid = fork();

	if (!pid)
		play(back[0], there[1], few + ROUNDS);
	pthread_t t = spawn(keeps_ready, NULL);

	answer(ep, there[0], back[1], few);
	is_over = true;
	join(t);
	long before = switches();

	answer(ep, there[0], back[1], ROUNDS);
	CHECK(switches() - before < ROUNDS * 3 / 2 + 500);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}
