// SPDX-License-Identifier: BSD-2-Clause
// abort and a fault end a process whose threads are in every state at once, by their signal: no handler runs, nothing
// is flushed.
#include "../crowd.h"
#include <sys/resource.h>

static unsigned seed;

static void *aborts(void *arg UNUSED)
{
	abort();
}

static void *faults(void *arg UNUSED)
{
	*(volatile int *)0 = 1;
	return NULL;
}

static void gather(void)
{
	const struct rlimit none = { 0 };

	CHECK_OK(setrlimit(RLIMIT_CORE, &none));
	crowd_gather(seed);
}

static void aborts_in_main(void)
{
	gather();
	aborts(NULL);
}

static void aborts_in_thread(void)
{
	gather();
	join(spawn(aborts, NULL));
}

static void faults_in_thread(void)
{
	gather();
	join(spawn(faults, NULL));
}

int main(void)
{
	static void (*const ways[])(void) = { aborts_in_main, aborts_in_thread, faults_in_thread };

	crowd_prepare();
	for (seed = 0; seed < 6; seed++) {
		if (!is_due(seed, 6))
			continue;
		int status = in_child(ways[seed % 3]);

		CHECK(WIFSIGNALED(status));
		CHECK_EQ(WTERMSIG(status), seed % 3 == 2 ? SIGSEGV : SIGABRT);
		CHECK_EQ(crowd_record->at_exit + crowd_record->at_quick_exit, 0);
		CHECK(!crowd_was_flushed());
	}
	crowd_end();
}
