// SPDX-License-Identifier: BSD-2-Clause
// longjmp gives its value, 1 for 0, and goes to the innermost frame asked for, in each thread its own.
#include "../harness.h"

#include <setjmp.h>

static void *body(void *arg)
{
	jmp_buf outer, inner;
	volatile int seen = 0;

	switch (setjmp(outer)) {
	case 0:
		if (setjmp(inner) == 0)
			longjmp(inner, 0);
		seen = 1;
		longjmp(outer, 5);
	case 5:
		CHECK_EQ(seen, 1);
		return arg;
	}
	CHECK(false);
	return arg;
}

int main(void)
{
	pthread_t t[5];

	spawn_many(t, 5, body);
	join_many(t, 5);
}
