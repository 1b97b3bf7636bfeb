// SPDX-License-Identifier: BSD-2-Clause
// vfork in a thread: the child runs, sets its exit status, and the parent goes on; others do meanwhile.
#include "../harness.h"

static atomic_int ticks;
static atomic_bool over;

static void *other(void *arg)
{
	while (!over) {
		ticks++;
		sleep_ms(1);
	}
	return arg;
}

static void *body(void *arg)
{
	for (int i = 0; i < 10; i++) {
		int status;
		pid_t pid = vfork();

		CHECK(pid >= 0);
		if (pid == 0)
			_exit(i);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(WEXITSTATUS(status), i);
	}
	WAIT_FOR(ticks > 0);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(other, NULL);

	join(spawn(body, NULL));
	over = true;
	join(t);
}
