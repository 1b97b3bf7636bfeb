// SPDX-License-Identifier: BSD-2-Clause
// Signals that another process sends come each once and in their order to the one thread that admits them, whatever
// it does meanwhile.
#include "../in-order.h"

static atomic_int blocking;

static void *blocks(void *arg)
{
	sigset_t set;

	sigfillset(&set);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
	blocking++;
	while (got[0] < SIGNALS) {
		compute();
		usleep(50);
	}
	return arg;
}

/* Reads how many the parent has got. */
static _Noreturn void send_all(int fd)
{
	int had = 0;
	sigset_t alarm_only;

	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL));	/* fork_watched's */
	for (int n = 0; n < SIGNALS; n++) {
		while (had <= n - AHEAD)
			CHECK_EQ(read(fd, &had, sizeof(had)), sizeof(had));
		CHECK_OK(sigqueue(getppid(), SIGRTMIN, (union sigval){ .sival_int = n }));
		if (n % 16 == 0)
			usleep(300);
	}
	_exit(0);
}

static void tell(int fd)
{
	int last = -1, now = 0;

	while (now < SIGNALS) {
		now = got[0];
		if (now != last)
			CHECK_EQ(write(fd, &now, sizeof(now)), sizeof(now));
		last = now;
		usleep(20);
	}
}

int main(void)
{
	int fd[2], status;
	sigset_t all;
	pthread_t t[MOST], other[2];
	pid_t sender;

	CHECK_OK(pipe(fd));
	begin(t, 1);
	spawn_many(other, 2, blocks);
	sigfillset(&all);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &all, NULL));
	WAIT_FOR(blocking == 2);
	sender = fork_watched();
	if (sender == 0)
		send_all(fd[0]);
	signal(SIGPIPE, SIG_IGN);
	tell(fd[1]);
	end(t, 1);
	join_many(other, 2);
	CHECK_EQ(waitpid(sender, &status, 0), sender);
	CHECK_EQ(status, 0);
}
