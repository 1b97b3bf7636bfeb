// SPDX-License-Identifier: BSD-2-Clause
// After close a new file gets the lowest number, and waits on it concern the new file only.
#include "../harness.h"

static void *reader(void *arg)
{
	char c = 0;

	CHECK_EQ(read((int)(intptr_t)arg, &c, 1), 1);
	return (void *)(intptr_t)c;
}

int main(void)
{
	for (int i = 0; i < 100; i++) {
		int p[2], lowest;
		pthread_t t;

		lowest = dup(0);
		CHECK_OK(close(lowest));
		CHECK_OK(pipe(p));
		CHECK_EQ(p[0], lowest);
		t = spawn(reader, (void *)(intptr_t)p[0]);
		if (i % 4 == 0)
			sleep_ms(1);
		CHECK_EQ(write(p[1], i & 1 ? "a" : "b", 1), 1);
		CHECK_EQ((intptr_t)join(t), i & 1 ? 'a' : 'b');
		CHECK_OK(close(p[0]));
		CHECK_OK(close(p[1]));
	}
}
