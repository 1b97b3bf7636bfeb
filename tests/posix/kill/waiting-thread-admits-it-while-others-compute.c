// SPDX-License-Identifier: BSD-2-Clause
// The main thread, which joins the others, handles a signal that they block while they compute.
#include "../harness.h"

#define COMPUTING 4

static atomic_bool is_over;
static pthread_t main_thread;

static void handler(int sig UNUSED)
{
	CHECK(pthread_equal(pthread_self(), main_thread));
	is_over = true;
}

static void *compute(void *arg UNUSED)
{
	while (!is_over)
		;
	return NULL;
}

int main(void)
{
	pthread_t t[COMPUTING];
	pid_t self = getpid(), pid;
	int status;

	main_thread = pthread_self();
	on_signal(SIGUSR2, handler, SA_RESTART);
	pid = fork_watched();
	if (pid == 0) {
		sleep_ms(100);
		_exit(kill(self, SIGUSR2) != 0);
	}
	block_signal(SIGUSR2);
	spawn_many(t, COMPUTING, compute);
	unblock_signal(SIGUSR2);
	join_many(t, COMPUTING);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}
