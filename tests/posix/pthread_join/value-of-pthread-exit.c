// SPDX-License-Identifier: BSD-2-Clause
// The value given to pthread_exit reaches the joiner, also from a cleanup-handled frame.
#include "../harness.h"

static void no_cleanup(void *arg UNUSED)
{
}

static void *body(void *arg)
{
	pthread_cleanup_push(no_cleanup, NULL);
	pthread_exit((char *)arg + 1);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	char x[2];

	CHECK(join(spawn(body, x)) == x + 1);
}
