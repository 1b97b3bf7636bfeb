// SPDX-License-Identifier: BSD-2-Clause
// pthread_join suspends the caller until the target has terminated.
#include "../harness.h"

static atomic_bool done;

static void *body(void *arg UNUSED)
{
	sleep_ms(50);
	done = true;
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	CHECK_OK(pthread_join(t, NULL));
	CHECK(done);
}
