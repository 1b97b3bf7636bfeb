// SPDX-License-Identifier: BSD-2-Clause
/* A shared library from a source, for a test that loads it. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <dlfcn.h>

#include "../harness.h"

static inline bool build_library(const char *so, const char *source, const char *flags)
{
	char command[512];
	void (*was)(int) = signal(SIGPIPE, SIG_IGN);	/* without a compiler nobody reads */
	FILE *f;

	snprintf(command, sizeof command, "cc -shared -fPIC %s -o %s -x c - 2>/dev/null", flags, so);
	f = popen(command, "w");
	if (!f)
		return false;
	fputs(source, f);
	bool is_built = pclose(f) == 0;

	signal(SIGPIPE, was);
	return is_built;
}

#endif
