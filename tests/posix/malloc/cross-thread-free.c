// SPDX-License-Identifier: BSD-2-Clause
// Memory allocated by one thread can be freed by another; ended threads leave nothing broken or
// leaking without bound.
#include "../harness.h"
#include <malloc.h>

static void *makes(void *arg UNUSED)
{
	void **list = malloc(100 * sizeof *list);

	for (int i = 0; i < 100; i++) {
		list[i] = malloc((size_t)(16 + i * 30));
		memset(list[i], i, (size_t)(16 + i * 30));
	}
	return list;
}

static void frees(void **list)
{
	for (int i = 0; i < 100; i++) {
		CHECK_EQ(((unsigned char *)list[i])[10], i);
		free(list[i]);
	}
	free(list);
}

static size_t in_use(void)
{
#if __GLIBC_PREREQ(2, 33)
	return mallinfo2().uordblks;
#else
	return (unsigned)mallinfo().uordblks;
#endif
}

int main(void)
{
	size_t early = 0;

	for (int r = 0; r < 400; r++) {
		frees(join(spawn(makes, NULL)));
		if (r == 50)
			early = in_use();
	}
	CHECK(in_use() < early + (2 << 20));
}
