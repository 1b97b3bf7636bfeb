// SPDX-License-Identifier: BSD-2-Clause
// The new thread runs start_routine with arg as its sole argument.
#include "../harness.h"

static void *seen;

static void *body(void *arg)
{
	seen = arg;
	return NULL;
}

int main(void)
{
	int x;

	join(spawn(body, &x));
	CHECK(seen == &x);
	join(spawn(body, NULL));
	CHECK(seen == NULL);
}
