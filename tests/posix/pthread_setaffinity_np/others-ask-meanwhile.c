// SPDX-License-Identifier: BSD-2-Clause
// What others ask of a thread, and ask it to be, at the moment when it sets its own processors.
#include "../harness.h"

enum { THREADS = 100 };

static atomic_int begun, asked;

static void *sets(void *arg)
{
	begun++;
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), arg));
	while (asked < begun)
		sched_yield();
	return arg;
}

int main(void)
{
	cpu_set_t one, theirs;
	struct sched_param param;
	struct timespec ts;
	clockid_t clock;
	char name[16];
	int policy;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	for (volatile int busy = 0; busy < 50000000; busy++)
		;			/* more processor time than any of them has */
	for (int i = 0; i < THREADS; i++) {
		uint64_t since = now_ns();
		pthread_t t = spawn(sets, &one);

		while (begun != i + 1)
			;		/* at the same moment */
		for (volatile int later = 0; later < i * 50; later++)
			;
		CHECK_OK(pthread_getschedparam(t, &policy, &param));
		CHECK_OK(pthread_setschedparam(t, policy, &param));
		CHECK_OK(pthread_getaffinity_np(t, sizeof(theirs), &theirs));
		CHECK(CPU_COUNT(&theirs) > 0);
		CHECK_OK(pthread_setname_np(t, "sets"));
		CHECK_OK(pthread_getname_np(t, name, sizeof(name)));
		CHECK(strcmp(name, "sets") == 0);
		CHECK_OK(pthread_kill(t, 0));
		CHECK_OK(pthread_getcpuclockid(t, &clock));
		CHECK_OK(clock_gettime(clock, &ts));
		CHECK((uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec < now_ns() - since + 1000000);
		CHECK_OK(pthread_setaffinity_np(t, sizeof(one), &one));
		asked++;
		join(t);
	}
}
