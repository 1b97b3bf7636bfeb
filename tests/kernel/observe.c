// SPDX-License-Identifier: BSD-2-Clause
/*
 * observe PID NVPROCS: until that process has ended, looks how many of its kernel threads run (stress/running.h).
 * Fails if more than NVPROCS do for so long that each of them has had a tenth of a second of a processor: however
 * busy the machine is, none has had that without the others.  One that is back from a block has microseconds before
 * it is stopped, and a spare that yields seldom has a share that counts.
 */
#define NO_WATCHDOG
#include "../stress/running.h"

static const uint64_t together_ns = 100 * 1000 * 1000;

/* It has ended: there is nothing more, or nothing but its parent's to read. */
static bool is_there(pid_t pid)
{
	char text[4096];
	const char *at = read_of_task(pid, (int)pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;

	return at && at[2] != 'Z' && at[2] != 'X';
}

static uint64_t cpu_of(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? 0 : now_on(clock);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	pid_t pid = (pid_t)atoi(argv[1]);
	unsigned nvprocs = (unsigned)atoi(argv[2]);

	while (is_there(pid)) {
		look_at_running(pid, nvprocs, cpu_of(pid));
		sleep_ms(2);
	}
	report_running(nvprocs, "its threads yield as soon as they are back");
	return running.longest_together_ns > together_ns;
}
