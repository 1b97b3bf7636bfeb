// SPDX-License-Identifier: BSD-2-Clause
// Capabilities are each thread's own, capabilities(7): one that gives one up lacks it, so do those that it makes, and
// no others.
#include "../apart.h"
#include <linux/capability.h>

extern int capset(void *header, const void *data);
extern int capget(void *header, void *data);

static int file;

static bool get(struct __user_cap_data_struct *ret_caps)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };

	CHECK_OK(capget(&header, ret_caps));
	return ret_caps[0].effective & 1u << CAP_CHOWN;
}

/* By what it says and by what it does. */
static bool lacks(void)
{
	struct __user_cap_data_struct caps[2];
	bool has = get(caps), may = fchown(file, 12345, 12345) == 0;

	CHECK(may || errno == EPERM);
	CHECK_EQ(has, may);
	return !has;
}

static void give_up(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[2];

	get(caps);
	caps[0].effective &= ~(1u << CAP_CHOWN);
	CHECK_OK(capset(&header, caps));
}

int main(void)
{
	struct __user_cap_data_struct caps[2];
	const char *path = fresh_path();

	if (!get(caps))
		skip("has no capabilities to give up");
	file = open(path, O_RDWR | O_CREAT, 0600);
	CHECK(file >= 0);
	CHECK_OK(unlink(path));
	apart_run(give_up, lacks, APART_WITH_CHILDREN);
}
