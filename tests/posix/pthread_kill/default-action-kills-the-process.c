// SPDX-License-Identifier: BSD-2-Clause
// A signal directed to one thread whose action is the default terminates the whole process.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	for (;;)
		pause();
	return NULL;
}

static void child(void)
{
	pthread_t t = spawn(body, NULL);

	settle();
	CHECK_OK(pthread_kill(t, SIGTERM));
	join(t);
}

int main(void)
{
	int status = in_child(child);

	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGTERM);
}
