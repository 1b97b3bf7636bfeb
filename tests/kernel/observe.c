// SPDX-License-Identifier: BSD-2-Clause
/*
 * observe PID NVPROCS: until that process has ended, counts how many of its kernel threads run (stress/running.h).  Fails
 * if more than an owner and a spare for each vproc want to, most of the times that the process has had a processor:
 * without one, whoever has been woken waits for it.  How many ran is printed only: where owners yield, too, their
 * spares run for a good part of the time.
 */
#define NO_WATCHDOG
#include "../stress/running.h"

enum { ENOUGH = 100 };		/* fewer looks say nothing: the machine is busy */

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

/* Has it had half of what it could have since it was last looked at? */
static bool has_had_its_share(uint64_t cpu, unsigned nvprocs)
{
	static uint64_t last, last_cpu;
	uint64_t now = now_ns(), span = now - last, had = cpu - last_cpu;
	bool is_first = !last;

	last = now;
	last_cpu = cpu;
	return !is_first && had * 2 >= span * nvprocs;
}

int main(int argc, char **argv)
{
	unsigned counted = 0, too_many = 0;

	if (argc != 3)
		return 2;
	pid_t pid = (pid_t)atoi(argv[1]);
	unsigned nvprocs = (unsigned)atoi(argv[2]);

	while (is_there(pid)) {
		uint64_t cpu = cpu_of(pid);

		look_at_running(pid, nvprocs, cpu);
		if (has_had_its_share(cpu, nvprocs)) {
			counted++;
			too_many += running.want_now > 2 * nvprocs;
		}
		sleep_ms(2);
	}
	report_running(nvprocs, "its threads yield as soon as they are back");
	printf("more than owners and spares wanted a processor at %u of %u looks\n", too_many, counted);
	return counted >= ENOUGH && too_many > counted / 2;
}
