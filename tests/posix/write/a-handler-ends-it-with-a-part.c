// SPDX-License-Identifier: BSD-2-Clause
// A write that waits for room, a part being written, is ended by a handler with that part, SA_RESTART or not; so is a
// recv that waits for all.
#include "../harness.h"
#include <sys/socket.h>

enum { ALL = 1 << 20, PART = 10 };

static int fd[2];
static atomic_long result;

static void ignore(int sig UNUSED)
{
}

static void *writes(void *arg)
{
	static char bytes[ALL];

	result = write(fd[1], bytes, sizeof(bytes));
	return arg;
}

static void *sends(void *arg)
{
	static char bytes[ALL];

	result = send(fd[1], bytes, sizeof(bytes), 0);
	return arg;
}

static void *receives(void *arg)
{
	char bytes[10 * PART];

	result = recv(fd[1], bytes, sizeof(bytes), MSG_WAITALL);
	return arg;
}

/* It may not wait yet, and a handler that runs before does not count. */
static long interrupted(void *(*call)(void *))
{
	pthread_t t;

	result = -2;
	t = spawn(call, NULL);
	settle();
	while (result == -2) {
		CHECK_OK(pthread_kill(t, SIGUSR1));
		sleep_ms(5);
	}
	join(t);
	return result;
}

static bool is_part(long n)
{
	return n > 0 && n < ALL;
}

static void look(int flags)
{
	CHECK_OK(sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = ignore, .sa_flags = flags }, NULL));
	CHECK_OK(pipe(fd));
	CHECK(is_part(interrupted(writes)));
	close(fd[0]);
	close(fd[1]);
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	CHECK(is_part(interrupted(sends)));
	CHECK_EQ(write(fd[0], "0123456789", PART), PART);
	CHECK_EQ(interrupted(receives), PART);
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	look(SA_RESTART);
	look(0);
}
