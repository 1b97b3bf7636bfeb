// SPDX-License-Identifier: BSD-2-Clause
// A new thread found the errors that one which had ended before it had left: dlerror, h_errno.
#include <dlfcn.h>
#include <netdb.h>

#include "../posix/harness.h"

static void *fails(void *arg)
{
	CHECK(!dlopen("/there/is/no/such/library.so", RTLD_NOW));
	h_errno = TRY_AGAIN;
	return arg;
}

static void *looks(void *arg)
{
	CHECK_EQ(h_errno, 0);
	CHECK(!dlerror());
	return arg;
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		join(spawn(fails, NULL));
		join(spawn(looks, NULL));
	}
}
