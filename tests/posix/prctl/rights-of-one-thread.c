// SPDX-License-Identifier: BSD-2-Clause
// PR_SET_KEEPCAPS, PR_CAPBSET_DROP and PR_SET_SECUREBITS are about the calling thread; threads that it makes later
// have its bounding set and its secure bits, capabilities(7), and no others.
#include "../apart.h"
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>

static void keep(void)
{
	CHECK_OK(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0));
}

static bool keeps(void)
{
	int r = prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0);

	CHECK(r == 0 || r == 1);
	return r;
}

static void drop(void)
{
	CHECK_OK(prctl(PR_CAPBSET_DROP, CAP_MKNOD, 0, 0, 0));
}

static bool has_dropped(void)
{
	int r = prctl(PR_CAPBSET_READ, CAP_MKNOD, 0, 0, 0);

	CHECK(r == 0 || r == 1);
	return !r;
}

static void secure(void)
{
	CHECK_OK(prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0));
}

static bool is_secure(void)
{
	int r = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);

	CHECK(r >= 0);
	return r & SECBIT_NO_SETUID_FIXUP;
}

/* In a process of its own: is it allowed at all? */
static void try(void)
{
	if (has_dropped() || prctl(PR_CAPBSET_DROP, CAP_MKNOD, 0, 0, 0) || is_secure() ||
	    prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0))
		_exit(1);
}

int main(void)
{
	bool may = in_child(try) == 0;

	apart_run(keep, keeps, APART_FOR_ITSELF);
	if (!may)
		skip("may not change its bounding set and its secure bits");
	apart_run(drop, has_dropped, APART_WITH_CHILDREN);
	apart_run(secure, is_secure, APART_WITH_CHILDREN);
}
