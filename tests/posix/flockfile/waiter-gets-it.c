// SPDX-License-Identifier: BSD-2-Clause
// A thread that waits for a stream's lock gets it when the owner, which waited meanwhile, gives it up.
#include "../harness.h"

static FILE *f;
static atomic_int in, got;

static void *waits(void *arg)
{
	in++;
	flockfile(f);
	got++;
	funlockfile(f);
	return arg;
}

static void *body(void *arg)
{
	pthread_t t[3];

	flockfile(f);
	spawn_many(t, 3, waits);
	WAIT_FOR(in == 3);
	settle();
	CHECK_EQ(got, 0);
	funlockfile(f);
	join_many(t, 3);
	return arg;
}

int main(void)
{
	CHECK((f = fopen("/dev/null", "w")) != NULL);
	join(spawn(body, NULL));
}
