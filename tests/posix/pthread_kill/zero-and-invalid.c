// SPDX-License-Identifier: BSD-2-Clause
// Signal 0 only checks; an invalid signal number is EINVAL.
#include "../harness.h"

static atomic_bool go;

static void *body(void *arg UNUSED)
{
	WAIT_FOR(go);
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	CHECK_OK(pthread_kill(t, 0));
	CHECK_EQ(pthread_kill(t, 1000), EINVAL);
	CHECK_EQ(pthread_kill(t, -1), EINVAL);
	go = true;
	join(t);
}
