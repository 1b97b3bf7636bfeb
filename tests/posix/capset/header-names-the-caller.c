// SPDX-License-Identifier: BSD-2-Clause
// capset and capget take the caller's own number as well as 0, in main and in another thread, by number too.
#include "../harness.h"

#include <linux/capability.h>

extern int capset(void *header, const void *data);
extern int capget(void *header, void *data);

static void *body(void *arg)
{
	struct __user_cap_data_struct caps[2];

	for (int i = 0; i < 10; i++) {
		struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, (int)syscall(SYS_gettid) };

		CHECK_EQ(capget(&header, caps), 0);
		CHECK_EQ(capset(&header, caps), 0);
		CHECK_EQ(header.pid, (int)syscall(SYS_gettid));
		CHECK_EQ(syscall(SYS_capget, &header, caps), 0);
		CHECK_EQ(syscall(SYS_capset, &header, caps), 0);
		usleep(100);
	}
	struct __user_cap_header_struct header = { 0, (int)syscall(SYS_gettid) };

	CHECK_EQ(capget(&header, caps), -1);
	CHECK_EQ(errno, EINVAL);
	CHECK_EQ(header.version, _LINUX_CAPABILITY_VERSION_3);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		t[i] = spawn(body, NULL);
	body(NULL);
	join_many(t, 3);
	body(NULL);
	return 0;
}
