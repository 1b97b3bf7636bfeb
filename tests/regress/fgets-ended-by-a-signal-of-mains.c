// SPDX-License-Identifier: BSD-2-Clause
// Calls that libc makes by itself, as stdio's, and others that are not the runtime's, failed with EINTR in a thread on
// main's kernel thread, for a signal that was main's: each time, the first of a process with one vproc.  (Where main has just
// been sent another one, the kernel gives one to some other thread: now and then it fails on kernel threads, too.)
#define ATTEMPTS 1
#include "../posix/alarms.h"

#include <sys/ioctl.h>
#include <termios.h>

enum { WAIT_MS = 100 };

static void *writes_later(void *arg)
{
	int fd = *(int *)arg;

	sleep_ms(WAIT_MS);
	CHECK_EQ(write(fd, "line\n", 5), 5);
	return NULL;
}

static void of_stdio(void)
{
	char line[16] = "";
	int fds[2];
	pthread_t t;
	FILE *f;

	CHECK_OK(pipe(fds));
	f = fdopen(fds[0], "r");
	t = spawn(writes_later, &fds[1]);
	bool had = fgets(line, sizeof(line), f) != NULL;
	int err = errno;

	join(t);
	CHECK_OK(fclose(f));
	CHECK_OK(close(fds[1]));
	MUST_EQ(had ? 0 : err, 0);
	MUST_EQ(strcmp(line, "line\n"), 0);
}

static char fifo[64];

/* Whether the other end has been opened or not. */
static void *opens_later(void *arg)
{
	sleep_ms(WAIT_MS);

	int fd = open(fifo, O_RDWR);

	CHECK(fd >= 0);
	sleep_ms(WAIT_MS);
	CHECK_OK(close(fd));
	return arg;
}

static void of_a_fifo(void)
{
	pthread_t t;

	strcpy(fifo, fresh_path());
	CHECK_OK(mkfifo(fifo, 0600));
	t = spawn(opens_later, NULL);
	int fd = open(fifo, O_RDONLY), err = errno;

	join(t);
	CHECK_OK(unlink(fifo));
	MUST_EQ(fd >= 0 ? 0 : err, 0);
	CHECK_OK(close(fd));
}

static void *reads_later(void *arg)
{
	char all[4096];
	int fd = *(int *)arg;

	sleep_ms(WAIT_MS);
	while (read(fd, all, sizeof(all)) > 0)
		;
	return NULL;
}

/* What was written to it is read late. */
static void of_a_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	pthread_t t;

	CHECK(master >= 0);
	CHECK_OK(grantpt(master));
	CHECK_OK(unlockpt(master));
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_NONBLOCK);
	CHECK(slave >= 0);
	while (write(slave, "0123456789abcdef", 16) > 0)
		;
	t = spawn(reads_later, &master);
	int r = ioctl(slave, TCSBRK, 1), err = errno;

	CHECK_OK(close(slave));
	join(t);
	CHECK_OK(close(master));
	MUST_EQ(r ? err : 0, 0);
}

enum { PROCESSES = 5, MISSED = 9 << 8 };
static void (*call)(void);
static bool is_missed;

static void try_it(void)
{
	call();
	is_missed = missed != NULL;
	missed = NULL;
}

static void in_a_process(void)
{
	under_alarms(try_it);
	_exit(is_missed ? WEXITSTATUS(MISSED) : 0);
}

static void must_go_on(void (*fn)(void))
{
	int status = MISSED;

	call = fn;
	for (int i = 0; i < PROCESSES && status == MISSED; i++)
		status = in_child(in_a_process);
	CHECK_EQ(status, 0);
}

int main(void)
{
	if (!__GLIBC_PREREQ(2, 41)) {		/* since then their numbers are not to be found: upcall-pthreads(7) */
		must_go_on(of_stdio);
		must_go_on(of_a_fifo);
	}
	must_go_on(of_a_terminal);
}
