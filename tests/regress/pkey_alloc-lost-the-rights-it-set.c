// SPDX-License-Identifier: BSD-2-Clause
// The kernel sets the rights to a new memory protection key on the calling kernel thread.  The calling thread got another one
// then, which did not have them, and whoever came to the old one did.
#include "../posix/harness.h"

enum { KEYS = 3, OTHERS = 4 };

static const unsigned rights[KEYS] = { 0, PKEY_DISABLE_WRITE, PKEY_DISABLE_ACCESS };
static int keys[KEYS];
static atomic_int there;
static atomic_bool goes_on;
static volatile sig_atomic_t handled;

static void check_rights(const unsigned *wanted)
{
	for (int i = 0; i < KEYS; i++)
		CHECK_EQ(pkey_get(keys[i]), wanted ? wanted[i] : PKEY_DISABLE_ACCESS);
}

/* Made before there were keys: it may do nothing with them. */
static void *is_older(void *arg)
{
	there++;
	while (!goes_on)
		(intptr_t)arg % 2 ? usleep(1000) : (void)sched_yield();
	check_rights(NULL);
	sched_yield();
	check_rights(NULL);
	return NULL;
}

static void *is_younger(void *arg)
{
	check_rights(rights);
	sched_yield();
	check_rights(rights);
	return arg;
}

/* Nor may a handler, whose thread has its rights again when it is over. */
static void handler(int sig UNUSED)
{
	check_rights(NULL);
	handled++;
}

int main(void)
{
	pthread_t older[OTHERS], younger[OTHERS];

	for (int i = 0; i < OTHERS; i++)
		older[i] = spawn(is_older, (void *)(intptr_t)i);
	WAIT_FOR(there == OTHERS);
	if (pkey_alloc(1, 0) == -1 && errno == EPERM)
		skip("no memory protection keys are allowed here");
	CHECK_ERRNO(pkey_alloc(1, 0), EINVAL);
	for (int i = 0; i < KEYS; i++) {
		keys[i] = pkey_alloc(0, rights[i]);
		if (keys[i] < 0)
			skip("this processor or kernel has no memory protection keys");
		CHECK_EQ(pkey_get(keys[i]), rights[i]);
	}
	check_rights(rights);
	spawn_many(younger, OTHERS, is_younger);
	join_many(younger, OTHERS);
	on_signal(SIGUSR1, handler, 0);
	raise(SIGUSR1);
	CHECK_EQ(handled, 1);
	check_rights(rights);
	goes_on = true;
	join_many(older, OTHERS);
	check_rights(rights);
}
