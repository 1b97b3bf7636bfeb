// SPDX-License-Identifier: BSD-2-Clause
#include "real.h"

#include <dlfcn.h>

#include "../base/print.h"

void *real_find_optional(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

void *real_find(const char *name)
{
	void *fn = real_find_optional(name);

	if (!fn)
		panic("the C library has no %s", name);
	return fn;
}
