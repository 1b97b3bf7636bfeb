// SPDX-License-Identifier: BSD-2-Clause
// connect to a Unix socket whose backlog is full is a cancellation point.
#include "../cancel.h"
#include <sys/un.h>

static struct sockaddr_un addr = { .sun_family = AF_UNIX };

static void call(void *arg UNUSED)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(connect(s, (struct sockaddr *)&addr, sizeof addr) != -1);
}

int main(void)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0), c, rc;

	strcpy(addr.sun_path, fresh_path());
	CHECK_OK(bind(s, (struct sockaddr *)&addr, sizeof addr));
	CHECK_OK(listen(s, 0));
	do {
		c = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		rc = connect(c, (struct sockaddr *)&addr, sizeof addr);
	} while (rc == 0);
	CHECK_EQ(errno, EAGAIN);
	check_cancels(call, NULL);
	CHECK_OK(unlink(addr.sun_path));
}
