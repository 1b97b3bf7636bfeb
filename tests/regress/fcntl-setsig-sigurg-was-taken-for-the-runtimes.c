// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program that asks to be sent SIGURG when there is something on a descriptor (F_SETSIG) got none for one whose number was
 * that of a descriptor of the runtime's, in a table of its own, by which a kernel thread that had been blocked is sent that
 * signal.
 */
#include "../posix/unseen.h"

enum { COMPUTING = 2, BLOCKING = 8, LAST = 14 };

static atomic_bool are_over, are_told[LAST + 1];

static void *computes(void *arg)
{
	while (!are_over)
		;
	return arg;
}

static void *blocks(void *arg)
{
	block_for(50000000);
	return arg;
}

static void note(int sig UNUSED, siginfo_t *info, void *context UNUSED)
{
	if (info->si_code == POLL_IN && info->si_fd >= 0 && info->si_fd <= LAST)
		are_told[info->si_fd] = true;
}

/* Each number is one end of a pair whose other end is far above. */
static void open_at(int fd, int *ret_other)
{
	int ends[2];

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	*ret_other = fcntl(ends[1], F_DUPFD, 100);
	CHECK(*ret_other >= 0);
	close(ends[1]);
	if (ends[0] != fd) {
		CHECK_EQ(dup2(ends[0], fd), fd);
		close(ends[0]);
	}
	CHECK_OK(fcntl(fd, F_SETSIG, SIGURG));
	CHECK_OK(fcntl(fd, F_SETOWN, getpid()));
	CHECK_OK(fcntl(fd, F_SETFL, O_ASYNC));
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART };
	pthread_t computing[COMPUTING], blocking[BLOCKING];
	int others[LAST + 1];

	CHECK_OK(sigaction(SIGURG, &act, NULL));
	for (int i = 0; i < COMPUTING; i++)
		computing[i] = spawn(computes, NULL);
	for (int i = 0; i < BLOCKING; i++)
		blocking[i] = spawn(blocks, NULL);
	block_for(50000000);
	for (int i = 0; i < BLOCKING; i++)
		join(blocking[i]);
	for (int fd = 0; fd <= LAST; fd++) {
		if (fd == STDERR_FILENO)
			continue;
		open_at(fd, &others[fd]);
		CHECK_EQ(write(others[fd], "x", 1), 1);
		WAIT_FOR(are_told[fd]);
		CHECK_OK(fcntl(fd, F_SETFL, 0));
	}
	are_over = true;
	for (int i = 0; i < COMPUTING; i++)
		join(computing[i]);
}
