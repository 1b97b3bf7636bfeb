// SPDX-License-Identifier: BSD-2-Clause
// The initial thread can be cancelled; the process goes on until its last thread ends.
#include "../cancel.h"

static pthread_t first;
static int *seen;

static void clean(void *arg UNUSED)
{
	seen[0] = 1;
}

static void *body(void *arg UNUSED)
{
	CHECK_OK(pthread_cancel(first));
	CHECK(join(first) == PTHREAD_CANCELED);
	seen[1] = 1;
	return NULL;
}

static void child(void)
{
	first = pthread_self();
	spawn(body, NULL);
	pthread_cleanup_push(clean, NULL);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
}

int main(void)
{
	seen = shared_memory(2 * sizeof *seen);
	CHECK_EQ(in_child(child), 0);
	CHECK_EQ(seen[0], 1);
	CHECK_EQ(seen[1], 1);
}
