// SPDX-License-Identifier: BSD-2-Clause
// Joining a cancelled thread gives PTHREAD_CANCELED.
#include "../harness.h"

static void *body(void *arg)
{
	for (;;)
		sleep_ms(1000);
	return arg;
}

int main(void)
{
	pthread_t t[5];

	spawn_many(t, 5, body);
	for (int i = 4; i >= 0; i--)
		CHECK_OK(pthread_cancel(t[i]));
	for (int i = 0; i < 5; i++)
		CHECK(join(t[i]) == PTHREAD_CANCELED);
}
