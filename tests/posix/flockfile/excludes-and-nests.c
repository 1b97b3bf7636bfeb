// SPDX-License-Identifier: BSD-2-Clause
// flockfile locks a stream for one thread, again and again; ftrylockfile tells others it is busy.
#include "../harness.h"

static FILE *f;

static void *other(void *arg)
{
	CHECK_EQ(ftrylockfile(f) == 0, arg != NULL);
	if (arg)
		funlockfile(f);
	return NULL;
}

static void *body(void *arg)
{
	flockfile(f);
	flockfile(f);
	join(spawn(other, NULL));
	funlockfile(f);
	join(spawn(other, NULL));
	CHECK_OK(ftrylockfile(f));
	funlockfile(f);
	funlockfile(f);
	join(spawn(other, f));
	return arg;
}

int main(void)
{
	CHECK((f = fopen("/dev/null", "w")) != NULL);
	join(spawn(body, NULL));
}
