// SPDX-License-Identifier: BSD-2-Clause
// tgkill with what gettid said reaches that thread; 0 asks whether it is there; ESRCH when it is not.
#include "../harness.h"

static pthread_t target;
static atomic_int tid, calls;
static atomic_bool over;

static void handler(int sig UNUSED)
{
	CHECK(pthread_equal(pthread_self(), target));
	calls++;
}

static void *body(void *arg)
{
	tid = gettid();
	WAIT_FOR(over);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_RESTART);
	target = spawn(body, NULL);
	WAIT_FOR(tid);
	CHECK_OK((int)syscall(SYS_tgkill, getpid(), (int)tid, 0));
	CHECK_OK((int)syscall(SYS_tgkill, getpid(), (int)tid, SIGUSR1));
	WAIT_FOR(calls == 1);
	over = true;
	join(target);
	CHECK_ERRNO((int)syscall(SYS_tgkill, getpid(), 4194303, 0), ESRCH);
}
