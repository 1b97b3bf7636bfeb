// SPDX-License-Identifier: BSD-2-Clause
// accept without a client is a cancellation point; the listening socket works afterwards.
#include "../cancel.h"

static void call(void *arg)
{
	CHECK(accept(*(int *)arg, NULL, NULL) != -1);
}

int main(void)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(s >= 0);
	CHECK_OK(bind(s, &(struct sockaddr){ .sa_family = AF_UNIX }, sizeof(sa_family_t)));
	CHECK_OK(listen(s, 4));
	check_cancels(call, &s);
}
