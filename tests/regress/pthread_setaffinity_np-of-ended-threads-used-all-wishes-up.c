// SPDX-License-Identifier: BSD-2-Clause
// Each thread that ended before it did what another had told it left something behind, of which there were 64: then
// nothing could be told to any thread any more, in forked children neither.
#include "../posix/harness.h"

enum { THREADS = 1000 };

static cpu_set_t one;
static atomic_bool may_go;

static void *looks(void *arg)
{
	cpu_set_t got;

	WAIT_FOR(may_go);
	CHECK_OK(sched_getaffinity(0, sizeof got, &got));
	CHECK(CPU_EQUAL(&got, &one));
	return arg;
}

static void tell_one(void)
{
	may_go = false;
	pthread_t t = spawn(looks, NULL);

	CHECK_OK(pthread_setaffinity_np(t, sizeof one, &one));
	may_go = true;
	join(t);
}

int main(void)
{
	if (!has_two_cpus())
		skip("one CPU is all");
	one = one_cpu();
	for (int i = 0; i < THREADS; i++) {
		pthread_t t = spawn(nothing, NULL);

		for (volatile int n = 0; n < i % 40 * 1000; n++)
			;
		int err = pthread_setaffinity_np(t, sizeof one, &one);

		CHECK(!err || err == ESRCH);
		join(t);
	}
	tell_one();
	CHECK_EQ(in_child(tell_one), 0);
}
