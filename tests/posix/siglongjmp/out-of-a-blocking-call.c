// SPDX-License-Identifier: BSD-2-Clause
// A handler jumps out of a call that blocks in the kernel: its thread computes as before, which its CPU clock says, others
// run beside it, and the same call can be made again.
#include "../harness.h"

#include <fcntl.h>
#include <setjmp.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum call { WAITPID, RECORD_LOCK, FLOCK, OPEN_FIFO, MSGRCV, CALLS };

enum { TURNS = 4 * 1000 * 1000 };

static sigjmp_buf before;
static atomic_bool is_waiting, has_worked, may_end;
static atomic_ulong steps;
static pid_t child;
static int file, queue;
static const char *fifo;

static void jump_out(int sig UNUSED)
{
	siglongjmp(before, 1);
}

static void make(enum call call)
{
	struct flock all = { .l_type = F_WRLCK }, none = { .l_type = F_UNLCK };
	struct { long type; char text; } message;

	if (call == WAITPID) {
		CHECK_EQ(waitpid(child, NULL, 0), child);
	} else if (call == RECORD_LOCK) {
		CHECK_OK(fcntl(file, F_SETLKW, &all));
		CHECK_OK(fcntl(file, F_SETLK, &none));
	} else if (call == FLOCK) {
		CHECK_OK(flock(file, LOCK_EX));
		CHECK_OK(flock(file, LOCK_UN));
	} else if (call == OPEN_FIFO) {
		CHECK_OK(close(open(fifo, O_RDONLY)));
	} else {
		CHECK_EQ(msgrcv(queue, &message, 1, 0, 0), 1);
	}
}

/* How long the same work takes, by the thread's clock, which is asked after it only. */
static uint64_t work(uint64_t since)
{
	for (volatile unsigned i = 0; i < TURNS; i++)
		;
	return now_on(CLOCK_THREAD_CPUTIME_ID) - since;
}

static void *leaves_it(void *arg)
{
	enum call call = *(enum call *)arg;
	uint64_t usual = work(now_on(CLOCK_THREAD_CPUTIME_ID)), since = now_on(CLOCK_THREAD_CPUTIME_ID);

	if (sigsetjmp(before, 1) == 0) {
		is_waiting = true;
		make(call);
		CHECK(!"the call came to an end");
	}
	CHECK(work(since) > usual / 10);
	has_worked = true;
	unsigned long seen = steps;

	for (uint64_t end = now_ns() + 10000000000; steps == seen;)	/* it makes no call: another is to have a turn */
		CHECK(now_ns() < end);
	may_end = true;
	make(call);
	return NULL;
}

static void *goes_on(void *arg)
{
	while (!may_end) {
		steps++;
		sched_yield();
	}
	return arg;
}

/* Another process has what the call waits for, until there is something to read. */
static void hold(int go, int ready)
{
	struct flock all = { .l_type = F_WRLCK };
	char c = 0;

	CHECK_OK(fcntl(file, F_SETLK, &all));
	CHECK_EQ(write(ready, &c, 1), 1);
	CHECK_EQ(read(go, &c, 1), 1);
	_exit(0);
}

static void one(enum call call, const char *path)
{
	int go[2], ready[2], other = open(path, O_RDWR);
	pthread_t leaver, runner;
	char c = 0;

	CHECK(other >= 0);
	CHECK_OK(pipe(go));
	CHECK_OK(pipe(ready));
	is_waiting = has_worked = may_end = false;
	child = fork_watched();
	if (child == 0)
		hold(go[0], ready[1]);
	CHECK_EQ(read(ready[0], &c, 1), 1);
	CHECK_OK(flock(other, LOCK_EX));
	leaver = spawn(leaves_it, &call);
	WAIT_FOR(is_waiting);
	settle();
	CHECK_OK(pthread_kill(leaver, SIGUSR1));
	WAIT_FOR(has_worked);
	runner = spawn(goes_on, NULL);
	WAIT_FOR(may_end);
	settle();
	CHECK_EQ(write(go[1], &c, 1), 1);
	CHECK_OK(close(other));
	if (call == OPEN_FIFO)
		CHECK_OK(close(open(fifo, O_WRONLY)));
	if (call == MSGRCV) {
		struct { long type; char text; } message = { .type = 1 };

		CHECK_OK(msgsnd(queue, &message, 1, 0));
	}
	join(leaver);
	join(runner);
	if (call != WAITPID)
		CHECK_EQ(waitpid(child, NULL, 0), child);
	for (int i = 0; i < 2; i++) {
		CHECK_OK(close(go[i]));
		CHECK_OK(close(ready[i]));
	}
}

int main(void)
{
	char path[128], name[128];

	snprintf(path, sizeof(path), "%s", fresh_path());
	snprintf(name, sizeof(name), "%s-fifo", path);
	fifo = name;
	file = open(path, O_RDWR | O_CREAT, 0600);
	CHECK(file >= 0);
	CHECK_OK(mkfifo(fifo, 0600));
	queue = msgget(IPC_PRIVATE, 0600);
	CHECK(queue >= 0);
	on_signal(SIGUSR1, jump_out, 0);
	for (enum call call = 0; call < CALLS; call++)
		one(call, path);
	CHECK_OK(msgctl(queue, IPC_RMID, NULL));
	CHECK_OK(unlink(fifo));
	CHECK_OK(unlink(path));
}
