// SPDX-License-Identifier: BSD-2-Clause
/*
 * What kind of thing `upcall run` is asked to run.  The kernel would tell us only by doing it, and
 * the dynamic linker drops a preloaded library without a word where it may not be used; so the file
 * is looked at first, the interpreters of scripts included.
 */
#ifndef UPCALL_CLI_PROGRAM_H
#define UPCALL_CLI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#define SHELL "/bin/sh"	/* reads files that have no format of the kernel's */

struct program {
	char path[4096];	/* what to exec: the file as found along PATH */
	int status;		/* 0, or the exit status that says why it cannot run */
	char problem[4608];	/* then: why */
	bool is_shell_text;	/* SHELL is to run it, as execvp has it */
	char plainly[512];	/* empty, or why the preload library cannot reach it */
};

/* Finds `name` as execvp would, and looks at it. */
void program_inspect(const char *name, struct program *ret_program);

/* Replaces this process; returns the errno that kept it from doing so, and what to exit with then. */
int program_exec(const struct program *p, char **argv, int argc);
int program_exit_status(int err);

#endif
