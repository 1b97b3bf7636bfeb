// SPDX-License-Identifier: BSD-2-Clause
/*
 * observe PID NVPROCS: until that process has ended, whose threads always want that many processors, looks how many of
 * its kernel threads run (stress/running.h).  Fails if more than NVPROCS do for so long that each of them has had a tenth
 * of a second of a processor: however busy the machine is, none has had that without the others.  One that is back from a
 * block has microseconds before it is stopped, and a spare that yields seldom has a share that counts.  Fails, too, if its
 * processors idle meanwhile, by more than the kernel's account can be wrong (stress/idle.h).
 */
#define NO_WATCHDOG
#include "../stress/idle.h"
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
	uint64_t start = now_ns(), first_cpu = cpu_of(pid), cpu = first_cpu, first_idle, idle, first_stolen, stolen;
	cpu_set_t set;

	if (sched_getaffinity(pid, sizeof(set), &set))
		return 2;
	account_of(&set, &first_idle, &first_stolen);
	while (is_there(pid)) {
		look_at_running(pid, nvprocs, cpu = cpu_of(pid));
		sleep_ms(2);
	}
	report_running(nvprocs, "its threads yield as soon as they are back");
	account_of(&set, &idle, &stolen);
	uint64_t span = now_ns() - start, used = cpu - first_cpu + above(stolen, first_stolen);
	double left = (double)unused(span, (int)nvprocs, used, above(idle, first_idle)) / (double)span;

	printf("of %.1f s %.1f %% of one processor were unused while it idled\n", (double)span / 1e9, left * 100);
	return running.longest_together_ns > together_ns || left > IDLE_MAX;
}
