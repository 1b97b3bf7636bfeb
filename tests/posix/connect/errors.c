// SPDX-License-Identifier: BSD-2-Clause
// connect: ECONNREFUSED where nobody listens, EBADF for no socket, ENOENT for a path that is not.
#include "../harness.h"

#include <netinet/in.h>
#include <sys/un.h>

static void *body(void *arg)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(1) };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/no/such/socket" };
	int s = socket(AF_INET, SOCK_STREAM, 0), u = socket(AF_UNIX, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK_ERRNO(connect(s, (struct sockaddr *)&at, sizeof at), ECONNREFUSED);
	CHECK_ERRNO(connect(u, (struct sockaddr *)&un, sizeof un), ENOENT);
	CHECK_ERRNO(connect(900, (struct sockaddr *)&un, sizeof un), EBADF);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
