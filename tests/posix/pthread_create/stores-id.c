// SPDX-License-Identifier: BSD-2-Clause
// The ID stored by pthread_create is what pthread_self returns in the new thread.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	return (void *)pthread_self();
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		pthread_t t = spawn(body, NULL);

		CHECK((pthread_t)join(t) == t);
	}
}
