// SPDX-License-Identifier: BSD-2-Clause
// A thread that is cancelled in a signal handler on an alternate stack, in a wait there or computing, ends: the cleanup
// handlers of what the signal came amid run, too, and the stack can be freed then.
#include "../cancel-holding.h"

enum { STACK_BYTES = 64 << 10, KINDS = 4, TURNS = 3 };

static atomic_int in_handler;
static atomic_int kind;
static int p[2];
static sem_t sem;

static void handler(int sig UNUSED)
{
	char c;

	in_handler++;
	switch (kind) {
	case 0: CHECK(read(p[0], &c, 1) != -1); break;
	case 1: sem_wait(&sem); break;
	case 2: sleep(WATCHDOG_SECONDS); break;
	case 3:
		CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
		for (;;)
			__asm__ volatile("" ::: "memory");
	}
}

/* By itself while it computes; or, where `arg` is, amid a wait, by another thread. */
static void has_alternate_stack(void *arg)
{
	stack_t st = { .ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES };

	pthread_cleanup_push(free, st.ss_sp);
	CHECK_OK(sigaltstack(&st, NULL));
	if (!arg)
		raise(SIGUSR1);
	pause();
	pthread_cleanup_pop(1);
}

static void cancel_in_handler(bool from_outside)
{
	struct holder h;
	int before = in_handler;

	holder_begin(&h, has_alternate_stack, from_outside ? &h : NULL);
	while (from_outside && in_handler == before) {
		settle();			/* it has its stack, as a rule */
		if (in_handler == before)
			CHECK_OK(pthread_kill(h.thread, SIGUSR1));
		WAIT_FOR(in_handler > before);
	}
	WAIT_FOR(in_handler > before);
	settle();
	CHECK_OK(pthread_cancel(h.thread));
	holder_end(&h);
	CHECK(!h.returned);
}

int main(void)
{
	CHECK_OK(pipe(p));
	CHECK_OK(sem_init(&sem, 0, 0));
	on_signal(SIGUSR1, handler, SA_ONSTACK);
	for (int i = 0; i < TURNS; i++)
		for (kind = 0; kind < KINDS; kind++)
			if (is_due((unsigned)(i * KINDS + kind), 3))
				cancel_in_handler(i % 2);
}
