// SPDX-License-Identifier: BSD-2-Clause
#include "setting.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../base/print.h"

enum { VPROCS_MOST = 256, SLICE_MOST = 1000000 };

#define SWITCHES "perf, bpf, scx, io_uring, fsgsbase, guard, nowait, slice, alarm, spin, share, rseq_slice, tlscopy, openmp, bind, upcalls"

const struct setting_kind setting_kinds[SETTINGS] = {
	[SETTING_VPROCS] = { "UPCALL_VPROCS", "--vprocs", "a number from 1 to 256", "the affinity mask says how many" },
	[SETTING_SLICE] = { "UPCALL_SLICE", "--slice", "a time such as 10ms, or off", "slices are of 10ms" },
	[SETTING_POLICY] = { "UPCALL_POLICY", "--policy", "one of stealing, fifo, priority", "it is as if unset" },
	[SETTING_SOURCE] = { "UPCALL_SOURCE", "--source", "one of auto, sched_ext, bpf, perf, monitor", "it is auto" },
	[SETTING_IO] = { "UPCALL_IO", "--io", "one of auto, io_uring, epoll", "it is auto" },
	[SETTING_DISABLE] = { "UPCALL_DISABLE", NULL, "some of " SWITCHES, "nothing is switched off" },
};

/* As strtoull, which a sanitizer takes for itself before it is ready; what is too large for all stays so. */
static uint64_t read_number(const char *text, const char **ret_rest)
{
	uint64_t n = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		if (n <= SLICE_MOST)
			n = 10 * n + (uint64_t)(*text - '0');
	*ret_rest = text;
	return n;
}

static bool is_vprocs(const char *text)
{
	const char *rest;
	uint64_t n = read_number(text, &rest);

	return n >= 1 && n <= VPROCS_MOST && !*rest;
}

static uint64_t unit_ns(const char *unit)
{
	return !strcmp(unit, "us") ? 1000 : !strcmp(unit, "ms") ? 1000000 : !strcmp(unit, "s") ? 1000000000 : 0;
}

static bool is_slice(const char *text)
{
	const char *unit;
	uint64_t n = read_number(text, &unit);

	return !strcmp(text, "off") || (n >= 1 && n <= SLICE_MOST && unit_ns(unit));
}

/* Is the word of n bytes in the list, whose words are separated by ", "? */
static bool has_word(const char *list, const char *word, size_t n)
{
	while (*list) {
		size_t len = strcspn(list, ", ");

		if (len == n && !memcmp(list, word, n))
			return true;
		list += len;
		list += strspn(list, ", ");
	}
	return false;
}

static bool are_switches(const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n && !has_word(SWITCHES, list, n))
			return false;
		list += n;
		list += *list == ',';
	}
	return true;
}

bool setting_is_right(enum setting which, const char *text)
{
	switch (which) {
	case SETTING_VPROCS: return is_vprocs(text);
	case SETTING_SLICE: return is_slice(text);
	case SETTING_DISABLE: return are_switches(text);
	default: return has_word(setting_kinds[which].wants + strlen("one of "), text, strlen(text));
	}
}

const char *setting_read(enum setting which)
{
	const struct setting_kind *k = &setting_kinds[which];
	const char *text = secure_getenv(k->variable);

	if (!text || !*text)
		return NULL;
	if (setting_is_right(which, text))
		return text;
	complain("%s wants %s, not '%s': %s", k->variable, k->wants, text, k->otherwise);
	unsetenv(k->variable);
	return NULL;
}

unsigned setting_number(const char *text)
{
	return text ? (unsigned)read_number(text, &text) : 0;
}

uint64_t setting_slice_ns(const char *text)
{
	const char *unit;
	uint64_t n = read_number(text, &unit);

	return n * unit_ns(unit);
}

bool setting_is_on(const char *variable)
{
	const char *text = secure_getenv(variable);

	return text && *text && strcmp(text, "0") != 0;
}
