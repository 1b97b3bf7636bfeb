// SPDX-License-Identifier: BSD-2-Clause
// POSIX: pthread_cancel is async-cancel-safe.  The first one in a process is by a thread that is asynchronously
// cancellable, and cancelled by one who comes a little later: others that cancel at the same time are not left waiting.
// On glibc that holds from the second one on.
#include "../posix/harness.h"

enum { OTHERS = 2, TURNS = 16, LATER_US = 60 };

static pthread_t target;
static atomic_int here, turn;
static atomic_bool go, over;

static void *is_there(void *arg)
{
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	here++;
	WAIT_FOR(over);
	return arg;
}

static void *is_cancelled(void *arg)
{
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	WAIT_FOR(here == OTHERS + 1);
	go = true;
	pthread_cancel(target);
	for (;;)
		pthread_testcancel();
	return arg;
}

static void *cancels(void *arg)
{
	here++;
	while (!go)
		sched_yield();
	pthread_cancel(target);
	return arg;
}

static void *is_cancelled_at_once(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* The first one has glibc load a library, whose loader stays locked for good where that is cancelled. */
static void cancel_before(void)
{
	pthread_t t = spawn(is_cancelled_at_once, NULL);

	CHECK_OK(pthread_cancel(t));
	CHECK(join(t) == PTHREAD_CANCELED);
}

static void first_cancels(void)
{
	pthread_t t, others[OTHERS];

	if (!is_on_upcall())
		cancel_before();
	target = spawn(is_there, NULL);
	spawn_many(others, OTHERS, cancels);
	t = spawn(is_cancelled, NULL);
	while (!go)
		sched_yield();
	for (uint64_t end = now_ns() + (uint64_t)turn * LATER_US * 1000; now_ns() < end;)
		sched_yield();
	CHECK_OK(pthread_cancel(t));
	CHECK(join(t) == PTHREAD_CANCELED);
	join_many(others, OTHERS);
	over = true;
	join(target);
}

int main(void)
{
	for (turn = 0; turn < TURNS; turn++)
		if (is_due((unsigned)turn, 4))
			CHECK_EQ(in_child(first_cancels), 0);
}
