// SPDX-License-Identifier: BSD-2-Clause
// The alternate stack that main had before the first thread began stays main's.
#include "../posix/harness.h"

static char stack[1 << 16];
static volatile bool was_on;

static void on_usr1(int sig UNUSED)
{
	char here;

	was_on = &here >= stack && &here < stack + sizeof(stack);
}

static void *body(void *arg)
{
	stack_t other;

	CHECK_OK(sigaltstack(NULL, &other));
	CHECK(other.ss_flags & SS_DISABLE);
	return arg;
}

int main(void)
{
	stack_t mine = { .ss_sp = stack, .ss_size = sizeof(stack) }, now;
	struct sigaction action = { .sa_handler = on_usr1, .sa_flags = SA_ONSTACK };
	pthread_t t;

	CHECK_OK(sigaltstack(&mine, NULL));
	CHECK_OK(sigaction(SIGUSR1, &action, NULL));
	CHECK_OK(pthread_create(&t, NULL, body, NULL));
	CHECK_OK(pthread_join(t, NULL));
	CHECK_OK(sigaltstack(NULL, &now));
	CHECK(now.ss_sp == stack && now.ss_size == sizeof(stack) && !now.ss_flags);
	raise(SIGUSR1);
	CHECK(was_on);
}
