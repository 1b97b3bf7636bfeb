// SPDX-License-Identifier: BSD-2-Clause
// A handler that jumped out of an exec, before that was in the kernel, left the thread as if it were about to leave
// the process still: it was never preempted.
#include "../posix/harness.h"
#include "../posix/exec.h"

#include <setjmp.h>

static sigjmp_buf before;
static atomic_bool is_about_to, other_ran;
static sem_t go;

static void jump_out(int sig UNUSED)
{
	if (!is_about_to)
		return;
	signals_end();
	siglongjmp(before, 1);
}

static void *runs(void *arg)
{
	CHECK_OK(sem_wait(&go));
	other_ran = true;
	return arg;
}

int main(void)
{
	static char *const argv[] = { "nowhere", NULL };
	cpu_set_t cpus;

	CHECK_OK(sched_getaffinity(0, sizeof(cpus), &cpus));
	for (int i = 0, n = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &cpus) && n++)
			CPU_CLR(i, &cpus);
	CHECK_OK(sched_setaffinity(0, sizeof(cpus), &cpus));	/* so that one cannot run beside another */
	CHECK_OK(sem_init(&go, 0, 0));
	on_signal(SIGUSR1, jump_out, 0);
	search_long("");

	block_signal(SIGUSR1);
	pthread_t other = spawn(runs, NULL);	/* the signal is not for this one */

	unblock_signal(SIGUSR1);
	if (sigsetjmp(before, 1) == 0) {
		signals_begin(SIGUSR1);
		is_about_to = true;
		execvp(argv[0], argv);
		CHECK(!"a program was found, or the search was over too soon");
	}
	is_about_to = false;
	CHECK_OK(sem_post(&go));
	for (uint64_t end = now_ns() + 10000000000; !other_ran;)	/* it makes no call: another is to have a turn */
		CHECK(now_ns() < end);
	join(other);
}
