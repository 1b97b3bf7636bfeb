// SPDX-License-Identifier: BSD-2-Clause
// A thread on a stack of the program's that ends in a handler on an alternate stack, above that one or below: the
// destructors of its frames run, as this variable's.
#include "../posix/harness.h"

enum { STACK = 256 * 1024 };

static char *memory;	/* three stacks: an alternate one, the thread's, another alternate one */
static int destroyed, handled, expected;
static int (*volatile signals)(int) = raise;	/* by its own name it is known not to be left by an exception */

static void destroy(int *arg)
{
	destroyed += *arg;
}

static void on_usr1(int sig UNUSED)
{
	int here UNUSED = 0;

	handled++;
	CHECK_EQ(((char *)&here - memory) / STACK, expected);
	pthread_exit(&handled);
}

static void *body(void *arg)
{
	__attribute__((cleanup(destroy))) int first = 1;
	stack_t ss = { .ss_sp = arg, .ss_size = STACK };

	CHECK_EQ(((char *)&first - memory) / STACK, 1);
	if (arg)
		CHECK_OK(sigaltstack(&ss, NULL));
	__attribute__((cleanup(destroy))) int second = 2;

	signals(SIGUSR1);
	return NULL;
}

static void runs_with(char *alternate, int which)
{
	pthread_attr_t a;
	pthread_t t;

	destroyed = handled = 0;
	expected = which;
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstack(&a, memory + STACK, STACK));
	CHECK_OK(pthread_create(&t, &a, body, alternate));
	CHECK(join(t) == &handled);
	CHECK_EQ(handled, 1);
	CHECK_EQ(destroyed, 3);
	CHECK_OK(pthread_attr_destroy(&a));
}

static void *plain(void *arg UNUSED)
{
	__attribute__((cleanup(destroy))) int third = 4;

	destroyed = 0;
	pthread_exit(NULL);
}

int main(void)
{
	memory = mmap(NULL, 3 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED);
	on_signal(SIGUSR1, on_usr1, SA_ONSTACK);
	for (int i = 0; i < 3; i++) {
		runs_with(NULL, 1);
		runs_with(memory, 0);
		runs_with(memory + 2 * STACK, 2);
		join(spawn(plain, NULL));
		CHECK_EQ(destroyed, 4);
	}
}
