// SPDX-License-Identifier: BSD-2-Clause
/*
 * The variables by which `upcall run` passes its options on, and what they may hold: the command checks
 * options and environment by this, and the runtime what it finds where nobody has.
 */
#ifndef UPCALL_SYS_SETTING_H
#define UPCALL_SYS_SETTING_H

#include <stdbool.h>
#include <stdint.h>

enum setting {
	SETTING_VPROCS, SETTING_SLICE, SETTING_POLICY, SETTING_SOURCE, SETTING_IO, SETTING_DISABLE,
	SETTINGS,
};

struct setting_kind {
	const char *variable, *option;	/* option: NULL if there is none */
	const char *wants;		/* for people: what is right */
	const char *otherwise;		/* and what is used instead of what is wrong */
};

#pragma GCC visibility push(hidden)
extern const struct setting_kind setting_kinds[SETTINGS];
bool setting_is_right(enum setting which, const char *text);
/* NULL where it is not set; where it is wrong also, with a line that says so: once, children do not see it. */
const char *setting_read(enum setting which);
unsigned setting_number(const char *text);	/* of a right value; 0 for NULL */
uint64_t setting_slice_ns(const char *text);	/* the same; 0 for off */
bool setting_is_on(const char *variable);	/* set, and neither empty nor 0 */
#pragma GCC visibility pop

#endif
