// SPDX-License-Identifier: BSD-2-Clause
// sysconf tells of the thread options what POSIX asks for.
#include "../harness.h"

static void *body(void *arg)
{
	CHECK(sysconf(_SC_THREADS) >= 200112L);
	CHECK(sysconf(_SC_THREAD_KEYS_MAX) >= 128);
	CHECK(sysconf(_SC_THREAD_DESTRUCTOR_ITERATIONS) >= 4);
	CHECK(sysconf(_SC_THREAD_STACK_MIN) >= 16384);
	CHECK(sysconf(_SC_SEMAPHORES) >= 200112L);
	CHECK(sysconf(_SC_TIMERS) >= 200112L);
	CHECK(sysconf(_SC_BARRIERS) >= 200112L);
	CHECK(sysconf(_SC_READER_WRITER_LOCKS) >= 200112L);
	CHECK(sysconf(_SC_SPIN_LOCKS) >= 200112L);
	CHECK(sysconf(_SC_CLOCK_SELECTION) >= 200112L);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
