// SPDX-License-Identifier: BSD-2-Clause
// A thread may detach itself; it can then no longer be joined.
#include "../harness.h"

static atomic_bool detached, go;

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_detach(pthread_self()));
	detached = true;
	WAIT_FOR(go);
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(detached);
	CHECK_EQ(pthread_join(t, NULL), EINVAL);
	go = true;
	settle();
}
