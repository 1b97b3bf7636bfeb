// SPDX-License-Identifier: BSD-2-Clause
// Joining a detached thread that is still alive fails with EINVAL.
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

	CHECK_OK(pthread_detach(t));
	CHECK_EQ(pthread_join(t, NULL), EINVAL);
	go = true;
	settle();
}
