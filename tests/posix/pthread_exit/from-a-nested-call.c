// SPDX-License-Identifier: BSD-2-Clause
// pthread_exit ends the thread from any depth of calls; cleanup handlers run last in first out.
#include "../harness.h"

static char order[4];
static volatile int n;

static void note(void *arg)
{
	order[n++] = *(char *)arg;
}

static void __attribute__((noinline)) deep(int depth)
{
	if (depth > 0)
		deep(depth - 1);
	if (n >= 0)
		pthread_exit(order);
	n = 100;
}

static void *body(void *arg UNUSED)
{
	pthread_cleanup_push(note, "a");
	pthread_cleanup_push(note, "b");
	deep(10);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	CHECK(join(spawn(body, NULL)) == order);
	CHECK(!strcmp(order, "ba"));
}
