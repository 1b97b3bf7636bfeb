// SPDX-License-Identifier: BSD-2-Clause
// Any thread may join any other: here each joins the one created before it.
#include "../harness.h"

static pthread_t t[10];

static void *body(void *arg)
{
	intptr_t i = (intptr_t)arg;

	if (i > 0)
		CHECK(join(t[i - 1]) == (void *)(i - 1));
	return arg;
}

int main(void)
{
	for (intptr_t i = 0; i < 10; i++)
		t[i] = spawn(body, (void *)i);
	CHECK(join(t[9]) == (void *)9);
}
