// SPDX-License-Identifier: BSD-2-Clause
// A pipe of packets (O_DIRECT) that another process made, which its reading end does not show: that a read got less than
// there was room for was taken for a proof that nothing more was there.
#include "../posix/parked.h"

enum { PACKET = 4096, REST = 10, ROUNDS = 20 };

static int fds[2];			/* in the program that is executed anew: packets, answers */

/* What one write of the parent's brings is a packet for each page, told of once. */
static void *reads(void *arg)
{
	static char all[2 * PACKET];

	for (int i = 0; i < ROUNDS; i++) {
		CHECK_EQ(read(fds[0], all, sizeof(all)), PACKET);
		CHECK_EQ(read(fds[0], all, sizeof(all)), REST);
		CHECK_EQ(write(fds[1], all, 1), 1);
	}
	return arg;
}

static void execute(int packets, int answers)
{
	char first[16], second[16];

	snprintf(first, sizeof(first), "%d", packets);
	snprintf(second, sizeof(second), "%d", answers);
	execl("/proc/self/exe", "reader", first, second, (char *)NULL);
	_exit(1);
}

int main(int n, char **args)
{
	static const char text[PACKET + REST];
	int packets[2], answers[2], status;
	char answer;

	if (n == 3) {
		fds[0] = atoi(args[1]);
		fds[1] = atoi(args[2]);
		run_beside_parked(reads);
	}
	CHECK_OK(pipe2(packets, O_DIRECT));
	CHECK_OK(pipe(answers));
	pid_t child = fork_watched();

	if (child == 0) {
		close(packets[1]);
		close(answers[0]);
		execute(packets[0], answers[1]);
	}
	CHECK_OK(close(packets[0]));
	CHECK_OK(close(answers[1]));
	for (int i = 0; i < ROUNDS; i++) {
		sleep_ms(i ? 5 : 100);		/* it waits, most likely */
		CHECK_EQ(write(packets[1], text, sizeof(text)), sizeof(text));
		CHECK_EQ(read(answers[0], &answer, 1), 1);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}
