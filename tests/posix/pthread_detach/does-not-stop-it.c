// SPDX-License-Identifier: BSD-2-Clause
// pthread_detach does not cause the thread to terminate.
#include "../harness.h"

static atomic_int count;

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < 20; i++) {
		sleep_ms(1);
		count++;
	}
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_detach(spawn(body, NULL)));
	WAIT_FOR(count == 20);
}
