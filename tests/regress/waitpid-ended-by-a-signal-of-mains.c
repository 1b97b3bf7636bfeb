// SPDX-License-Identifier: BSD-2-Clause
// Calls that wait in the kernel failed with EINTR in a thread on main's kernel thread, for a signal that was main's.
#include <mqueue.h>
#include <sys/file.h>

#include "../posix/alarms.h"

enum { WAIT_MS = 150 };

static pid_t child_that_sleeps(void (*first)(int), int arg)
{
	pid_t child = fork();

	CHECK(child >= 0);
	if (child)
		return child;
	if (first)
		first(arg);
	sleep_ms(WAIT_MS);
	_exit(0);
}

static void reap(pid_t child)
{
	MUST_EQ(waitpid(child, NULL, 0), child);
}

static void wait_for_a_child(void)
{
	siginfo_t info;
	pid_t child;

	while (waitpid(-1, NULL, 0) != -1 || errno == EINTR)
		;		/* of another attempt */
	reap(child_that_sleeps(NULL, 0));
	child = child_that_sleeps(NULL, 0);
	MUST_EQ(wait(NULL), child);
	child = child_that_sleeps(NULL, 0);
	MUST_EQ(waitid(P_PID, (id_t)child, &info, WEXITED), 0);
}

static void lock_file(int ready)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	CHECK_OK(flock(fd, LOCK_EX));
	CHECK_EQ(write(ready, "", 1), 1);
}

static void wait_for_a_lock(void)
{
	int fd = open("/proc/self/exe", O_RDONLY), ready[2];
	pid_t child;
	char c;

	CHECK_OK(pipe(ready));
	child = child_that_sleeps(lock_file, ready[1]);
	MUST_EQ(read(ready[0], &c, 1), 1);
	MUST_EQ(flock(fd, LOCK_EX), 0);
	CHECK_OK(close(fd));
	reap(child);
}

static void wait_for_a_message(void)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	struct timespec at;
	char name[64], buf[8];

	snprintf(name, sizeof(name), "/upcall-test-%d", (int)getpid());
	mqd_t mq = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);

	if (mq == (mqd_t)-1) {
		CHECK(errno == ENOSYS || errno == EACCES || errno == EMFILE);
		return;
	}
	CHECK_OK(mq_unlink(name));
	CHECK_OK(clock_gettime(CLOCK_REALTIME, &at));
	at.tv_nsec += WAIT_MS * 1000000L;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	MUST_ERRNO(mq_timedreceive(mq, buf, sizeof(buf), NULL, &at), ETIMEDOUT);
	CHECK_OK(mq_close(mq));
}

int main(void)
{
	under_alarms(wait_for_a_child);
	under_alarms(wait_for_a_lock);
	under_alarms(wait_for_a_message);
}
