// SPDX-License-Identifier: BSD-2-Clause
// A number that is no signal is EINVAL, and nothing is sent.
#include "../harness.h"

static atomic_bool over;

static void *body(void *arg)
{
	WAIT_FOR(over);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	CHECK_EQ(pthread_kill(t, -1), EINVAL);
	CHECK_EQ(pthread_kill(t, 65), EINVAL);
	CHECK_EQ(pthread_kill(t, 1000), EINVAL);
	CHECK_EQ(pthread_kill(pthread_self(), 65), EINVAL);
	over = true;
	join(t);
}
