// SPDX-License-Identifier: BSD-2-Clause
/*
 * held CASE: a process that does not let one of its activations run, the one that it names its spare, or its
 * owner: two others compute, and each wants the other as soon as it has the processor.  The first one has a
 * turn every few seconds all the same, or the kernel's watchdog would end the scheduler, for everybody.
 *
 * held anew: the one that has the processor registers in another slot, and computes; the other has turns.
 * held astride: a vproc has an activation on each of two processors, one of which naps; another vproc has turns.
 * held strangers: threads that are in the class and not registered compute; a vproc has turns.
 * held again: who is admitted again and again is given vprocs each time, though there are not so many.
 */
#include "vproc.h"

enum { CPU = 1, SECONDS = 10, VICTIM = 1, FIRST, SECOND, ANEW };

static atomic_int is_ready;
static atomic_ulong turns;

/* The number of a slot in the control page. */
static uint32_t name(unsigned slot)
{
	return slot + 1;
}

static void *victim(void *arg)
{
	join_vproc(VICTIM, CPU, (unsigned)(long)arg);
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

static void *registers_anew(void *arg)
{
	uint32_t life = page->slot[ANEW].life;

	join(FIRST, CPU);
	is_ready++;
	while (turns < 10)	/* then it has been given the processor by the scheduler, which is to take it away, too */
		;
	prctl(UPCALL_KERNEL_PRCTL, ANEW, token, 0, 0);
	CHECK(page->slot[ANEW].life != life);
	is_ready++;
	for (;;)
		;
	return arg;
}

static int see_anew(void)
{
	start(registers_anew, 0);
	start(victim, 0);
	while (is_ready < 3)
		usleep(1000);
	unsigned long before = turns;

	usleep(SECONDS / 2 * 1000000);
	unsigned long had = turns - before;

	printf("anew: %lu turns in %d s\n", had, SECONDS / 2);
	fflush(stdout);
	CHECK(had >= 2);
	_exit(0);
}

static void *naps(void *arg)
{
	join(SECOND, !CPU);
	is_ready++;
	for (;;)
		usleep(3000);
	return arg;
}

static void *strange(void *arg)
{
	pin(CPU);
	be_scheduled();
	for (;;)
		;
	return arg;
}

/* What the victim's vproc gets beside that. */
static int see_victim(const char *name)
{
	unsigned long before;

	start(victim, 1);
	usleep(500000);
	before = turns;
	usleep(SECONDS / 2 * 1000000);
	printf("%s: %lu turns in %d s\n", name, turns - before, SECONDS / 2);
	fflush(stdout);
	CHECK(turns - before >= 20);
	_exit(0);
}

static int see_astride(void)
{
	control->vproc[0].owner = name(FIRST);
	start(computes, FIRST);
	start(naps, 0);
	while (is_ready < 2)
		usleep(1000);
	return see_victim("astride");
}

static int see_strangers(void)
{
	for (int i = 0; i < 3; i++)
		start(strange, 0);
	usleep(100000);
	return see_victim("strangers");
}

static int come_again(void)
{
	enum { TIMES = 1500 };

	for (int i = 0; i < TIMES; i++) {
		struct abi_welcome welcome;
		int fds[2];

		CHECK(admit_ask(ABI_BPF | ABI_SCX, 5000, &welcome, fds) == 0);
		CHECK(welcome.sources == (ABI_BPF | ABI_SCX));
		close(fds[0]);
		close(fds[1]);
	}
	printf("admitted %d times\n", TIMES);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	alarm(50);
	if (strcmp(argv[1], "again") == 0)
		return come_again();
	be_admitted();
	pin(0);
	if (strcmp(argv[1], "anew") == 0)
		return see_anew();
	if (strcmp(argv[1], "astride") == 0)
		return see_astride();
	if (strcmp(argv[1], "strangers") == 0)
		return see_strangers();
	start(victim, 0);
	start(computes, FIRST);
	start(computes, SECOND);
	while (is_ready < 3)
		usleep(1000);
	*(strcmp(argv[1], "owner") == 0 ? &control->vproc[0].owner : &control->vproc[0].successor) = name(VICTIM);
	unsigned long before = turns;

	puts("held");
	fflush(stdout);
	for (uint64_t end = now_us() + SECONDS * 1000000ull; now_us() < end;)
		control->vproc[0].want = name(page->vproc[0].running == name(FIRST) ? SECOND : FIRST);
	unsigned long had = turns - before;

	printf("%s: %lu turns in %d s\n", argv[1], had, SECONDS);
	fflush(stdout);
	CHECK(had >= 2);
	_exit(0);
}
