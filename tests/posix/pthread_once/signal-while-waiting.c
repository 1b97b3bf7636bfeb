// SPDX-License-Identifier: BSD-2-Clause
// A handler that runs while a thread waits for another one's routine does not end the wait.
#include "../harness.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool in_init, may_end;
static atomic_int handled, returned;

static void init(void)
{
	in_init = true;
	WAIT_FOR(may_end);
}

static void handler(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_once(&once, init));
	CHECK(may_end);
	returned++;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	on_signal(SIGUSR1, handler, 0);
	a = spawn(body, NULL);
	WAIT_FOR(in_init);
	b = spawn(body, NULL);
	settle();
	CHECK_OK(pthread_kill(b, SIGUSR1));
	settle();
	CHECK_EQ(returned, 0);
	may_end = true;
	join(a);
	join(b);
	WAIT_FOR(handled == 1);
}
