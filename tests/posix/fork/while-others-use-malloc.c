// SPDX-License-Identifier: BSD-2-Clause
// fork while other threads are inside malloc and stdio: both work in the child.
#include "../harness.h"

static atomic_bool stop;

static void *body(void *arg UNUSED)
{
	while (!stop) {
		char buf[64];
		void *p = malloc(100 + (size_t)rand() % 5000);

		snprintf(buf, sizeof buf, "%p", p);
		free(p);
	}
	return NULL;
}

static void *leaf(void *arg)
{
	void *p = malloc(3000);

	free(p);
	return arg;
}

static void child(void)
{
	for (int i = 0; i < 50; i++)
		free(malloc(1000 + (size_t)i * 100));
	fprintf(stdout, "%s", "");
	fflush(stdout);
	join(spawn(leaf, NULL));
}

int main(void)
{
	pthread_t t[3];

	spawn_many(t, 3, body);
	for (int i = 0; i < 20; i++)
		CHECK_EQ(in_child(child), 0);
	stop = true;
	join_many(t, 3);
}
