// SPDX-License-Identifier: BSD-2-Clause
// A thread that computes, and whose processors another sets meanwhile, has no alternate stack but its own after that, and
// keeps SIGURG blocked where it had blocked it.
#include "../../stress/stress.h"

static atomic_bool here, go;

static void *computes(void *arg)
{
	char memory[32768];
	stack_t mine = { .ss_sp = memory, .ss_size = sizeof(memory) }, now;
	sigset_t urg, mask;

	sigemptyset(&urg);
	sigaddset(&urg, SIGURG);
	if (arg) {
		CHECK_OK(sigaltstack(&mine, NULL));
		CHECK_OK(pthread_sigmask(SIG_BLOCK, &urg, NULL));
	}
	here = true;
	while (!go)
		;
	CHECK_OK(raw_syscall(SYS_sigaltstack, 0, (long)&now, 0, 0));
	CHECK_EQ(now.ss_flags & SS_DISABLE, arg ? 0 : SS_DISABLE);
	CHECK(!arg || now.ss_sp == memory);
	CHECK_OK(raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&mask, 8));
	CHECK_EQ(sigismember(&mask, SIGURG), arg != NULL);
	if (arg) {
		mine.ss_flags = SS_DISABLE;
		CHECK_OK(sigaltstack(&mine, NULL));
	}
	return NULL;
}

static void round_with(void *arg)
{
	cpu_set_t cpus = one_cpu();

	here = go = false;
	pthread_t t = spawn(computes, arg);

	WAIT_FOR(here);
	CHECK_OK(pthread_setaffinity_np(t, sizeof(cpus), &cpus));
	sleep_ms(50);
	go = true;
	join(t);
}

int main(void)
{
	if (!has_two_cpus())
		skip("one processor: to ask for that is to ask for nothing");
	for (int i = 0; i < 3; i++) {
		round_with(NULL);
		round_with(&here);
	}
}
