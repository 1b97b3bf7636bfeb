// SPDX-License-Identifier: BSD-2-Clause
// sendfile, large reads of /dev/zero and /dev/urandom, getrandom and writes to a terminal were cut short by signals that were none of
// the thread's.
#include <sys/random.h>
#include <sys/sendfile.h>

#include "../posix/alarms.h"

enum { BYTES = 4 << 20, RANDOM_BYTES = 16 << 20, TTY_BYTES = 1 << 18, CHUNK = 1 << 16, SLOW_MS = 2 };

static char *buf, *other;

/* Slowly, so that the writer waits many times. */
static void *drain(void *arg)
{
	int fd = *(int *)arg;
	ssize_t r;

	while ((r = read(fd, other, CHUNK)) > 0)
		sleep_ms(SLOW_MS);
	return NULL;
}

static void send_a_file(void)
{
	int fds[2], file = memfd_create("file", 0);
	pthread_t t;

	CHECK_OK(ftruncate(file, BYTES));
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	t = spawn(drain, &fds[1]);
	MUST_EQ(sendfile(fds[0], file, NULL, BYTES), BYTES);
	off_t at = 1;

	MUST_EQ(sendfile(fds[0], file, &at, 2 * BYTES), BYTES - 1);
	CHECK_EQ(at, BYTES);
	CHECK_OK(close(fds[0]));
	join(t);
	CHECK_OK(close(fds[1]));
	CHECK_OK(close(file));
}

static void read_much(void)
{
	static const char *const names[] = { "/dev/zero", "/dev/urandom" };

	for (int i = 0; i < 2; i++) {
		int fd = open(names[i], O_RDONLY);

		CHECK(fd >= 0);
		for (int n = 0; n < 4; n++)
			MUST_EQ(read(fd, buf, RANDOM_BYTES), RANDOM_BYTES);
		CHECK_OK(close(fd));
	}
	for (int n = 0; n < 4; n++)
		MUST_EQ(getrandom(buf, RANDOM_BYTES, 0), RANDOM_BYTES);
}

static void write_to_a_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), tty;
	pthread_t t;

	if (master < 0)
		return;
	CHECK_OK(grantpt(master));
	CHECK_OK(unlockpt(master));
	tty = open(ptsname(master), O_RDWR | O_NOCTTY);
	CHECK(tty >= 0);
	t = spawn(drain, &master);
	memset(buf, 'x', TTY_BYTES);
	MUST_EQ(write(tty, buf, TTY_BYTES), TTY_BYTES);
	CHECK_OK(close(tty));		/* the master's read fails then */
	join(t);
	CHECK_OK(close(master));
}

int main(void)
{
	buf = malloc(RANDOM_BYTES);
	other = malloc(CHUNK);
	CHECK(buf && other);
	under_alarms(send_a_file);
	under_alarms(read_much);
	under_alarms(write_to_a_terminal);
	free(buf);
	free(other);
}
