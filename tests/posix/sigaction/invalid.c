// SPDX-License-Identifier: BSD-2-Clause
// SIGKILL and SIGSTOP cannot be caught, and numbers that are no signals are EINVAL; asking is allowed.
#include "../harness.h"

static void *body(void *arg)
{
	struct sigaction sa = { .sa_handler = SIG_IGN };

	CHECK_ERRNO(sigaction(SIGKILL, &sa, NULL), EINVAL);
	CHECK_ERRNO(sigaction(SIGSTOP, &sa, NULL), EINVAL);
	CHECK_ERRNO(sigaction(0, &sa, NULL), EINVAL);
	CHECK_ERRNO(sigaction(-1, &sa, NULL), EINVAL);
	CHECK_ERRNO(sigaction(65, &sa, NULL), EINVAL);
	CHECK_OK(sigaction(SIGKILL, NULL, &sa));
	CHECK(sa.sa_handler == SIG_DFL);
	return arg;
}

int main(void)
{
	body(NULL);
	join(spawn(body, NULL));
}
