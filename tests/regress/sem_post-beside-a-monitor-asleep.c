// SPDX-License-Identifier: BSD-2-Clause
// A thread that was alone in a blocking call for seconds wakes another and computes: the other gets its turn, also on one
// processor.  The monitor, which had gone to sleep meanwhile, was not woken, and nobody asked for the turn.
#include "../posix/harness.h"
#include <semaphore.h>

static sem_t sem;
static atomic_bool ran;

static void *waits(void *arg)
{
	CHECK_OK(sem_wait(&sem));
	ran = true;
	return arg;
}

int main(void)
{
	CHECK_OK(sem_init(&sem, 0, 0));
	pthread_t t = spawn(waits, NULL);

	settle();	/* it waits: main is alone */
	sleep_ms(4000);
	CHECK_OK(sem_post(&sem));
	for (uint64_t end = now_ns() + 4000000000; !ran && now_ns() < end;)
		;
	CHECK(ran);
	join(t);
}
