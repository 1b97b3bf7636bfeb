// SPDX-License-Identifier: BSD-2-Clause
// accept4 is a cancellation point.
#include "../cancel.h"

#include <netinet/in.h>

static int fd;

static void call(void *arg UNUSED)
{
	accept4(fd, NULL, NULL, SOCK_CLOEXEC);
}

int main(void)
{
	CHECK((fd = socket(AF_INET, SOCK_STREAM, 0)) >= 0);
	CHECK_OK(listen(fd, 5));
	check_cancels(call, NULL);
}
