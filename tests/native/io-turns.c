// SPDX-License-Identifier: BSD-2-Clause
/*
 * While a call that takes no deadline blocks in the kernel, here a write to a terminal that nobody reads: who writes to
 * another descriptor does not wait for it, whatever its number; who waits for his turn is told that the descriptor is
 * closed; and a handler on the thread itself does not wait for its own turn.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <termios.h>

#include "check.h"

enum { MANY = 1 << 20, APART = 1024 };

struct terminal {
	int master, slave;
};

static char text[MANY];

static struct terminal open_terminal(void)
{
	struct terminal t = { .master = posix_openpt(O_RDWR | O_NOCTTY) };
	struct termios mode;

	CHECK_IS(grantpt(t.master), 0);
	CHECK_IS(unlockpt(t.master), 0);
	t.slave = open(ptsname(t.master), O_RDWR | O_NOCTTY);
	CHECK(t.slave >= 0);
	CHECK_IS(tcgetattr(t.slave, &mode), 0);
	cfmakeraw(&mode);
	CHECK_IS(tcsetattr(t.slave, TCSANOW, &mode), 0);
	return t;
}

/* A signal of the runtime's may end it early, and then the descriptor be closed. */
static void *write_many(void *arg)
{
	CHECK(upcall_write((int)(long)arg, text, MANY) > 0);
	return arg;
}

static void *write_in_vain(void *arg)
{
	CHECK_IS(upcall_write((int)(long)arg, "x", 1), -EBADF);
	return arg;
}

static void *drain_all(void *arg)
{
	char buffer[4096];

	while (upcall_read((int)(long)arg, buffer, sizeof(buffer)) > 0)
		;
	return arg;
}

static void test_close_and_others(void)
{
	struct terminal one = open_terminal(), other = open_terminal();
	int fd = fcntl(other.slave, F_DUPFD, one.slave + APART);
	upcall_t first = spawn(write_many, (void *)(long)one.slave);

	CHECK_IS(fd, one.slave + APART);
	upcall_sleep(30 * MS);
	CHECK_IS(upcall_write_until(fd, "x", 1, upcall_after(5000 * MS)), 1);
	upcall_t second = spawn(write_in_vain, (void *)(long)one.slave);

	upcall_sleep(30 * MS);
	CHECK_IS(upcall_close(one.slave), 0);
	join(second);
	upcall_t reader = spawn(drain_all, (void *)(long)one.master);

	join(first);
	join(reader);
	close(one.master);
	close(other.slave);
	close(other.master);
	close(fd);
}

static int written_to;
static atomic_int handled;

static void handle(int sig)
{
	(void)sig;
	CHECK_IS(upcall_write(written_to, "x", 1), 1);
	handled++;
}

static void test_handler(void)
{
	struct terminal terminal = open_terminal();
	struct sigaction action = { .sa_handler = handle };
	pthread_t t;

	written_to = terminal.slave;
	CHECK_IS(sigaction(SIGUSR1, &action, NULL), 0);
	CHECK_IS(pthread_create(&t, NULL, write_many, (void *)(long)written_to), 0);
	upcall_sleep(30 * MS);
	CHECK_IS(pthread_kill(t, SIGUSR1), 0);
	upcall_sleep(30 * MS);
	upcall_t reader = spawn(drain_all, (void *)(long)terminal.master);

	CHECK_IS(pthread_join(t, NULL), 0);
	CHECK_IS(handled, 1);
	close(terminal.slave);
	join(reader);
	close(terminal.master);
}

static void test(void)
{
	struct rlimit files;

	CHECK_IS(getrlimit(RLIMIT_NOFILE, &files), 0);
	if (files.rlim_cur < 2 * APART && files.rlim_max >= 2 * APART) {
		files.rlim_cur = 2 * APART;
		CHECK_IS(setrlimit(RLIMIT_NOFILE, &files), 0);
	}
	test_close_and_others();
	test_handler();
}
