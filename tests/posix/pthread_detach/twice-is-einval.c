// SPDX-License-Identifier: BSD-2-Clause
// Detaching a detached thread fails with EINVAL.
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
	CHECK_EQ(pthread_detach(t), EINVAL);
	go = true;
	settle();
}
