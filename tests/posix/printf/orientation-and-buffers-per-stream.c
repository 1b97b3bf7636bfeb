// SPDX-License-Identifier: BSD-2-Clause
// Threads that write to streams of their own do not mix; fclose by another thread flushes.
#include "../harness.h"

static void *body(void *arg)
{
	char path[64], line[64];
	FILE *f;

	snprintf(path, sizeof path, "/tmp/upcall-test-%d-%d", (int)getpid(), (int)(intptr_t)arg);
	CHECK((f = fopen(path, "w+")) != NULL);
	for (int i = 0; i < 200; i++)
		CHECK(fprintf(f, "%d %d\n", (int)(intptr_t)arg, i) > 0);
	rewind(f);
	for (int i = 0; i < 200; i++) {
		int a, b;

		CHECK(fgets(line, sizeof line, f) != NULL);
		CHECK_EQ(sscanf(line, "%d %d", &a, &b), 2);
		CHECK(a == (intptr_t)arg && b == i);
	}
	CHECK_OK(fclose(f));
	unlink(path);
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	spawn_many(t, 4, body);
	join_many(t, 4);
}
