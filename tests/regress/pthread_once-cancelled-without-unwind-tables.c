// SPDX-License-Identifier: BSD-2-Clause
// A pthread_once whose routine is cancelled, or left by pthread_exit, in a frame that the unwinder cannot read
// is as if it had never been tried; nested ones too.  The handlers around it run.
#include "../posix/harness.h"

static pthread_once_t outer, inner;
static int handlers, routines;
static _Atomic int waits;
static bool exits;

/* A frame that no table describes: rsp is moved in a way that only tables could tell. */
void through_the_dark(void (*fn)(void));
__asm__(".text\n"
	"through_the_dark:\n"
	"	push %rbx\n"
	"	sub $0x1000, %rsp\n"
	"	call *%rdi\n"
	"	add $0x1000, %rsp\n"
	"	pop %rbx\n"
	"	ret\n");

static void ends(void)
{
	if (exits)
		pthread_exit(NULL);
	waits = 1;
	for (;;)
		pause();
}

static void inner_routine(void)
{
	through_the_dark(ends);
}

static void outer_routine(void)
{
	pthread_once(&inner, inner_routine);
}

static void handler(void *arg UNUSED)
{
	handlers++;
}

static void *body(void *arg)
{
	pthread_cleanup_push(handler, NULL);
	pthread_once(&outer, outer_routine);
	pthread_cleanup_pop(0);
	return arg;
}

static void counts(void)
{
	routines++;
}

static void check(void)
{
	pthread_t t;

	handlers = routines = waits = 0;
	outer = inner = PTHREAD_ONCE_INIT;
	t = spawn(body, NULL);
	if (!exits) {
		WAIT_FOR(waits);
		CHECK_OK(pthread_cancel(t));
	}
	CHECK(join(t) == (exits ? NULL : PTHREAD_CANCELED));
	CHECK_EQ(handlers, 1);
	CHECK_OK(pthread_once(&inner, counts));
	CHECK_OK(pthread_once(&outer, counts));
	CHECK_EQ(routines, 2);
}

int main(void)
{
	check();
	exits = true;
	check();
}
