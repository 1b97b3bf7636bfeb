// SPDX-License-Identifier: BSD-2-Clause
/*
 * Deadlines are kept where the kernel has no call that does not block: of several that accept, a connection is one's;
 * and a terminal, a pipe and a FIFO take a part of what is written.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "check.h"

enum { ACCEPTORS = 6, CONNECTIONS = 60, BULK = 1 << 20 };

static int listener;
static struct sockaddr_in address;
static atomic_int accepted, turns[ACCEPTORS];
static atomic_bool is_over;

static void *accept_some(void *arg)
{
	while (!is_over) {
		uint64_t began = upcall_now();
		int fd = upcall_accept_until(listener, NULL, NULL, 0, began + 5 * MS);

		turns[(size_t)arg]++;
		if (fd >= 0) {
			accepted++;
			CHECK_IS(upcall_close(fd), 0);
			continue;
		}
		CHECK_IS(fd, -ETIMEDOUT);
		check_took(began, 5 * MS);
	}
	return arg;
}

/* Whoever did not get the connection goes on, without another. */
static void check_all_go_on(void)
{
	uint64_t end = upcall_after(5000 * MS);

	for (int i = 0; i < ACCEPTORS; i++)
		for (int was = turns[i]; turns[i] == was; upcall_sleep(MS / 4))
			CHECK(upcall_now() < end);
}

static void test_accept(unsigned flags)
{
	upcall_t t[ACCEPTORS];
	socklen_t size = sizeof(address);

	listener = socket(AF_INET, SOCK_STREAM, 0);
	CHECK_IS(listen(listener, 100), 0);
	CHECK_IS(getsockname(listener, (struct sockaddr *)&address, &size), 0);
	accepted = 0;
	is_over = false;
	for (int i = 0; i < ACCEPTORS; i++) {
		struct upcall_attr attr = UPCALL_ATTR_INIT;

		attr.flags = flags;
		CHECK_IS(upcall_create(&t[i], &attr, accept_some, (void *)(size_t)i), 0);
	}
	for (int i = 0; i < CONNECTIONS; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		CHECK_IS(upcall_connect(fd, (struct sockaddr *)&address, size), 0);
		check_all_go_on();
		CHECK_IS(upcall_close(fd), 0);
	}
	for (int i = 0; accepted < CONNECTIONS && i < 1000; i++)
		upcall_sleep(MS);
	CHECK_IS(accepted, CONNECTIONS);
	is_over = true;
	for (int i = 0; i < ACCEPTORS; i++)
		join(t[i]);
	CHECK_IS(upcall_close(listener), 0);
}

static char bulk[BULK];

/* Twice: the second call finds it full, or nearly so. */
static void *write_to(void *arg)
{
	int fd = (int)(long)arg;
	uint64_t began = upcall_now();

	CHECK_IS(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	ssize_t n = upcall_write_until(fd, bulk, BULK, began + 100 * MS);

	CHECK(n > 0 && n < BULK);
	check_took(began, 100 * MS);
	began = upcall_now();
	n = upcall_write_until(fd, bulk, BULK, began + 20 * MS);
	CHECK(n == -ETIMEDOUT || (n > 0 && n < BULK));
	check_took(began, 20 * MS);
	return NULL;
}

static void test_write(int fd)
{
	join(spawn(write_to, (void *)(long)fd));
	CHECK_IS(close(fd), 0);
}

static int fifo(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/io-deadlines.%d", (int)getpid());
	CHECK_IS(mkfifo(path, 0600), 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int writer = open(path, O_WRONLY | O_CLOEXEC);

	CHECK(reader >= 0 && writer >= 0);
	unlink(path);
	return writer;
}

static int terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (master < 0)
		return -1;
	CHECK_IS(grantpt(master), 0);
	CHECK_IS(unlockpt(master), 0);
	return open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
}

static void test(void)
{
	int ends[2];

	alarm(50);
	test_accept(test_flags);
	if (!test_flags)
		test_accept(UPCALL_BOUND);
	CHECK_IS(pipe(ends), 0);
	test_write(ends[1]);
	test_write(fifo());
	for (int lines = 0; lines < 2; lines++) {
		memset(bulk, lines ? '\n' : 'x', sizeof(bulk));
		int fd = terminal();

		if (fd < 0) {
			printf("skip: no terminal to be had\n");
			exit(SKIP);
		}
		test_write(fd);
	}
}
