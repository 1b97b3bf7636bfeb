// SPDX-License-Identifier: BSD-2-Clause
// A Landlock domain is of the thread that enters it and of those that it makes then, landlock(7), and of no others.
#include "../apart.h"
#include <sys/prctl.h>
#if __has_include(<linux/landlock.h>)		/* Linux 5.13 */
#include <linux/landlock.h>

static int ruleset;

static void restrict_self(void)
{
	CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK_OK(syscall(SYS_landlock_restrict_self, ruleset, 0));
}

/* May it read no directory? */
static bool is_restricted(void)
{
	int fd = open("/usr", O_RDONLY | O_DIRECTORY);

	CHECK(fd >= 0 || errno == EACCES);
	if (fd >= 0)
		CHECK_OK(close(fd));
	return fd < 0;
}

int main(void)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = LANDLOCK_ACCESS_FS_READ_DIR };

	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
	if (ruleset < 0)
		skip("no Landlock here");
	apart_run(restrict_self, is_restricted, APART_WITH_CHILDREN);
}
#else
int main(void)
{
	skip("the headers do not know Landlock");
}
#endif
