// SPDX-License-Identifier: BSD-2-Clause
/*
 * held CASE: a process that does not let one of its activations run, the one that it names its spare, or its
 * owner: two others compute, and each wants the other as soon as it has the processor.  The first one has a
 * turn every few seconds all the same, or the kernel's watchdog would end the scheduler, for everybody.
 */
#include "vproc.h"

enum { CPU = 1, SECONDS = 10, VICTIM = 1, FIRST, SECOND };

static atomic_int is_ready;
static atomic_ulong turns;

/* The number of a slot in the control page. */
static uint32_t name(unsigned slot)
{
	return slot + 1;
}

static void *victim(void *arg)
{
	(void)arg;
	join(VICTIM, CPU);
	is_ready++;
	for (;;) {
		turns++;
		sched_yield();
	}
	return NULL;
}

static void *computes(void *arg)
{
	join((unsigned)(long)arg, CPU);
	is_ready++;
	for (;;)
		;
	return NULL;
}

static void start(void *(*function)(void *), long arg)
{
	pthread_t t;

	CHECK(pthread_create(&t, NULL, function, (void *)arg) == 0);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	alarm(50);
	be_admitted();
	pin(0);
	start(victim, 0);
	start(computes, FIRST);
	start(computes, SECOND);
	while (is_ready < 3)
		usleep(1000);
	*(strcmp(argv[1], "owner") == 0 ? &control->vproc[0].owner : &control->vproc[0].successor) = name(VICTIM);
	unsigned long before = turns;

	for (uint64_t end = now_us() + SECONDS * 1000000ull; now_us() < end;)
		control->vproc[0].want = name(page->vproc[0].running == name(FIRST) ? SECOND : FIRST);
	unsigned long had = turns - before;

	printf("%s: %lu turns in %d s\n", argv[1], had, SECONDS);
	fflush(stdout);
	CHECK(had >= 2);
	_exit(0);
}
