// SPDX-License-Identifier: BSD-2-Clause
/*
 * The machine, and how noisy it was: the time that all processes used (and that the host took)
 * while the benchmarks ran, less that of ours, as a share of the processors.  Interrupts count as
 * used: on most kernels they are part of our own time too; where they are not, a network load looks
 * noisier than it is.
 */
#include "bench.h"

#include <gnu/libc-version.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "../look/text.h"

enum { NOISY_PERCENT = 10 };

struct moment {
	double time_s, used_s, ours_s, load;
};

static struct moment before, after;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double used_s(void)
{
	unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
	FILE *file = fopen("/proc/stat", "r");
	double ticks = 0;

	if (!file)
		return 0;
	if (fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
		   &idle, &iowait, &irq, &softirq, &steal) == 8)
		ticks = (double)(user + nice + system + irq + softirq + steal);
	fclose(file);
	return ticks / (double)sysconf(_SC_CLK_TCK);
}

static double cpu_s(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static struct moment look(void)
{
	struct moment m = { .time_s = now_s(), .used_s = used_s() };

	m.ours_s = cpu_s(RUSAGE_SELF) + cpu_s(RUSAGE_CHILDREN);
	if (getloadavg(&m.load, 1) != 1)
		m.load = 0;
	return m;
}

void machine_begin(void)
{
	before = after = look();
}

void machine_end(void)
{
	after = look();
}

static double others_percent(void)
{
	double time_s = (after.time_s - before.time_s) * (double)sysconf(_SC_NPROCESSORS_ONLN);
	double others_s = after.used_s - before.used_s - (after.ours_s - before.ours_s);

	return time_s > 0 && others_s > 0 ? 100 * others_s / time_s : 0;
}

static bool is_noisy(void)
{
	return others_percent() > NOISY_PERCENT;
}

static int allowed_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set);
}

static const char *model(void)
{
	static char line[256];
	FILE *file = fopen("/proc/cpuinfo", "r");
	const char *found = NULL;

	while (file && !found && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !colon)
			continue;
		line[strcspn(line, "\n")] = 0;
		found = colon + 2;
	}
	if (file)
		fclose(file);
	return found;
}

void machine_line(void)
{
	struct utsname name;
	const char *cpu = model();

	uname(&name);
	printf("machine: %d of %ld CPUs%s%s, %s %s, glibc %s; ", allowed_cpus(),
	       sysconf(_SC_NPROCESSORS_ONLN), cpu ? " " : "", cpu ? cpu : "", name.sysname,
	       name.release, gnu_get_libc_version());
	printf("load %.2f at the start, %.2f at the end; ", before.load, after.load);
	printf("other processes used %.0f %% of the CPUs%s\n", others_percent(),
	       is_noisy() ? ": noisy" : "");
}

void machine_json(void)
{
	struct utsname name;

	uname(&name);
	printf("{\"cpus\": %d, \"cpus_online\": %ld", allowed_cpus(),
	       sysconf(_SC_NPROCESSORS_ONLN));
	json_text("model", model());
	json_text("kernel", name.release);
	json_text("glibc", gnu_get_libc_version());
	printf(", \"load_start\": %.2f, \"load_end\": %.2f", before.load, after.load);
	printf(", \"others_percent\": %.1f, \"noisy\": %s}", others_percent(),
	       is_noisy() ? "true" : "false");
}
