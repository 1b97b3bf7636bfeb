// SPDX-License-Identifier: BSD-2-Clause
// A thread may be detached while it runs and after it has ended.
#include "../harness.h"

static atomic_int ended;
static atomic_bool go;

static void *body(void *arg)
{
	if (arg)
		WAIT_FOR(go);
	ended++;
	return arg;
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		pthread_t quick = spawn(body, NULL), slow = spawn(body, &go);

		CHECK_OK(pthread_detach(slow));
		WAIT_FOR(ended == 2 * i + 1);
		CHECK_OK(pthread_detach(quick));
		go = true;
		WAIT_FOR(ended == 2 * i + 2);
		go = false;
	}
}
