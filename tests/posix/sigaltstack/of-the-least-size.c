// SPDX-License-Identifier: BSD-2-Clause
// A handler that needs little runs on an alternate stack of the least size, above a page that nobody may touch.
#include "harness.h"
#include <sys/auxv.h>

enum { THREADS = 4, TIMES = 200, FOR_A_HANDLER = 1024 };
enum { AT_LEAST = 51 };		/* AT_MINSIGSTKSZ, Linux 5.14 */

static __thread char *low, *high;
static __thread volatile int handled;
static atomic_int came, over;

static void handler(int sig UNUSED)
{
	char here;

	if (&here < low || &here >= high)
		abort();
	handled++;
}

static void *handles_on_a_small_one(void *arg)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = getauxval(AT_LEAST) + FOR_A_HANDLER;
	size_t all = (bytes + page - 1) / page * page + page;
	char *memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	CHECK_OK(mprotect(memory, page, PROT_NONE));
	low = memory + page;
	high = low + bytes;
	CHECK_OK(sigaltstack(&(stack_t){ .ss_sp = low, .ss_size = bytes }, NULL));
	came++;
	for (int i = 0; i < TIMES; i++)
		CHECK_OK(raise(SIGUSR1));
	CHECK(handled >= TIMES);
	while (!over)
		sched_yield();
	CHECK_OK(sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL));
	CHECK_OK(munmap(memory, all));
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	if (!getauxval(AT_LEAST))
		skip("the least size is not known");
	on_signal(SIGUSR1, handler, SA_ONSTACK);
	spawn_many(t, THREADS, handles_on_a_small_one);
	WAIT_FOR(came == THREADS);
	for (int i = 0; i < THREADS * TIMES; i++)
		CHECK_OK(pthread_kill(t[i % THREADS], SIGUSR1));
	over = true;
	join_many(t, THREADS);
}
