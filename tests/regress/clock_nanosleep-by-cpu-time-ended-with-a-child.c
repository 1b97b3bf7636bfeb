// SPDX-License-Identifier: BSD-2-Clause
// Once a thread had blocked SIGCHLD, as system() does, a child's end broke off sleeps by the process's CPU time.
#include "../posix/harness.h"

enum { SLEEP_MS = 60 };

static atomic_bool has_slept, is_over;

static void *computes(void *arg)
{
	while (!is_over)
		;
	return arg;
}

static void *runs_a_command(void *arg)
{
	CHECK_EQ(system("true"), 0);
	return arg;
}

static void check_sleep(clockid_t clock)
{
	struct timespec span = ms_span(SLEEP_MS), until;
	uint64_t since = now_on(clock);

	CHECK_OK(clock_nanosleep(clock, 0, &span, NULL));
	CHECK(now_on(clock) - since >= SLEEP_MS / 2 * 1000000ull);	/* kernels round */
	until = in_ms(clock, SLEEP_MS);
	CHECK_OK(clock_nanosleep(clock, TIMER_ABSTIME, &until, NULL));
}

static void *sleeps(void *arg)
{
	clockid_t clock;

	CHECK_OK(clock_getcpuclockid(0, &clock));
	if (arg) {			/* with a kernel thread */
		errno = 0;
		CHECK(nice(1) != -1 || errno == 0);
	}
	check_sleep(CLOCK_PROCESS_CPUTIME_ID);
	check_sleep(clock);
	has_slept = true;
	return arg;
}

int main(void)
{
	join(spawn(runs_a_command, NULL));
	pthread_t other = spawn(computes, NULL);

	for (intptr_t is_bound = 0; is_bound < 2; is_bound++) {
		has_slept = false;
		pthread_t t = spawn(sleeps, (void *)is_bound);

		while (!has_slept) {
			pid_t pid = fork_watched();

			if (pid == 0)
				_exit(0);
			CHECK_EQ(waitpid(pid, NULL, 0), pid);
			sleep_ms(2);
		}
		join(t);
	}
	is_over = true;
	join(other);
}
