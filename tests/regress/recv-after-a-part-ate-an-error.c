// SPDX-License-Identifier: BSD-2-Clause
// A reset that came after a part was received (MSG_WAITALL) or sent ended the call with the part, as it should, but the
// next call did not say it.
#include "../posix/parked.h"

static int ends[2];

static void *resets(void *arg)
{
	struct linger none = { 1, 0 };

	settle();
	CHECK_EQ(send(ends[1], "abc", 3, 0), 3);
	settle();
	CHECK_OK(setsockopt(ends[1], SOL_SOCKET, SO_LINGER, &none, sizeof none));
	CHECK_OK(close(ends[1]));
	return arg;
}

static void receives(void)
{
	char all[16];

	tcp_pair(ends);
	pthread_t other = spawn(resets, NULL);

	CHECK_EQ(recv(ends[0], all, sizeof all, MSG_WAITALL), 3);
	join(other);
	CHECK_ERRNO(recv(ends[0], all, sizeof all, 0), ECONNRESET);
}

static void sends(void)
{
	static char all[32 << 20];

	tcp_pair(ends);
	pthread_t other = spawn(resets, NULL);
	ssize_t n = send(ends[0], all, sizeof all, MSG_NOSIGNAL);

	CHECK(n > 0 && n < (ssize_t)sizeof all);
	join(other);
	CHECK_ERRNO(send(ends[0], all, 1, MSG_NOSIGNAL), ECONNRESET);
}

static void *body(void *arg)
{
	receives();
	sends();
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}
