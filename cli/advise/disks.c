// SPDX-License-Identifier: BSD-2-Clause
/* How busy the disks are, from /proc/diskstats. */
#include "observe.h"

#include <stdio.h>
#include <string.h>

enum { DISKS_MAX = 256 };

static struct disk {
	char name[64];
	unsigned long long busy_ms;
} before[DISKS_MAX];
static unsigned n;

static bool next_disk(FILE *file, struct disk *d)
{
	char line[512];

	/* Of the numbers behind the name, the tenth is the time with requests under way. */
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%*d %*d %63s %*u %*u %*u %*u %*u %*u %*u %*u %*u %llu", d->name, &d->busy_ms) == 2)
			return true;
	return false;
}

void disks_begin(void)
{
	FILE *file = fopen("/proc/diskstats", "re");

	for (n = 0; n < DISKS_MAX && next_disk(file, &before[n]); n++)
		;
	if (file)
		fclose(file);
}

double disks_busy_s(void)
{
	FILE *file = fopen("/proc/diskstats", "re");
	struct disk d;
	unsigned long long most_ms = 0;

	while (next_disk(file, &d))
		for (unsigned i = 0; i < n; i++)
			if (!strcmp(before[i].name, d.name) && d.busy_ms - before[i].busy_ms > most_ms)
				most_ms = d.busy_ms - before[i].busy_ms;
	if (file)
		fclose(file);
	return (double)most_ms / 1000;
}
