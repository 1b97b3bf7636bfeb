// SPDX-License-Identifier: BSD-2-Clause
/* What the kernel says of this process's memory, and of how much there is left.  It is C and C++. */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number behind this name, at the beginning of a line; 0 where there is none. */
static inline double memory_line_in(const char *path, const char *name)
{
	FILE *file = fopen(path, "r");
	size_t length = strlen(name);
	char line[256];
	double n = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length))
			n = strtod(line + length, NULL);
	if (file)
		fclose(file);
	return n;
}

/* "VmRSS:", "VmPTE:", "VmHWM:" (the most that ever was resident). */
static inline double memory_of_process(const char *name)
{
	return memory_line_in("/proc/self/status", name) * 1024;
}

/* VmHWM begins again from what is resident now, where the kernel can do that. */
static inline void memory_forget_peak(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "w");

	if (file) {
		fputs("5", file);
		fclose(file);
	}
}

/* What the machine has left, or the control group, where that is a container's and has a limit ("max" is none). */
static inline double memory_left_bytes(void)
{
	static const char *const groups[][3] = {
		{ "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.stat", "anon " },
		{ "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.stat", "total_rss " },
	};
	double left = memory_line_in("/proc/meminfo", "MemAvailable:") * 1024;

	for (int i = 0; i < 2; i++) {
		double limit = memory_line_in(groups[i][0], "");

		if (limit > 0 && limit - memory_line_in(groups[i][1], groups[i][2]) < left)
			left = limit - memory_line_in(groups[i][1], groups[i][2]);
	}
	return left > 0 ? left : 0;
}

#endif
