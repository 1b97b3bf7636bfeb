// SPDX-License-Identifier: BSD-2-Clause
/* ps, stack, stats, top and trace are another program's: see look/look.h. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELPER "upcall-look"

static char self[3000];

static void beside_this_command(char *path, size_t size)
{
	char *slash = own_path(self, sizeof(self)) ? strrchr(self, '/') : NULL;

	snprintf(path, size, "%.*s/" HELPER, slash ? (int)(slash - self) : 0, self);
	if (!slash || access(path, X_OK))
		snprintf(path, size, "%s/" HELPER, UPCALL_LIBEXECDIR);
}

int look_main(int argc, char **argv)
{
	char path[3100];
	char **args = calloc((size_t)argc + 2, sizeof(*args));

	if (!args)
		die(EXIT_OURS, "out of memory");
	beside_this_command(path, sizeof(path));
	args[0] = path;
	memcpy(args + 1, argv, (size_t)argc * sizeof(*args));
	/* Nothing of a program's under upcall is wanted in the tool itself; one that it starts gets it back. */
	if (getenv("LD_PRELOAD"))
		setenv("UPCALL_LOOK_PRELOAD", getenv("LD_PRELOAD"), 1);
	setenv("UPCALL_LOOK_COMMAND", self, 1);
	unsetenv("LD_PRELOAD");
	execv(path, args);
	die(EXIT_OURS, "%s: %s (it is built where libdw is installed)", path, strerror(errno));
}
