// SPDX-License-Identifier: BSD-2-Clause
// POLLRDNORM and POLLWRNORM are waited for as POLLIN and POLLOUT are, of many descriptors also.
#include "../parked.h"

static int a[2], b[2];

static void *writes(void *arg)
{
	settle();
	CHECK_EQ(write(a[1], "x", 1), 1);
	return arg;
}

static void *reads(void *arg)
{
	static char all[1 << 20];

	settle();
	CHECK(read(a[0], all, sizeof all) > 0);
	return arg;
}

static void *body(void *arg)
{
	CHECK_OK(pipe(a));
	CHECK_OK(pipe(b));
	struct pollfd in[2] = { { a[0], POLLRDNORM, 0 }, { b[0], POLLRDNORM, 0 } };
	pthread_t other = spawn(writes, NULL);

	CHECK_EQ(poll(in, 2, -1), 1);
	CHECK_EQ(in[0].revents, POLLRDNORM);
	join(other);
	CHECK_OK(fcntl(a[1], F_SETFL, O_NONBLOCK));
	while (write(a[1], "full", 4) > 0)
		;
	struct pollfd out[2] = { { a[1], POLLWRNORM, 0 }, { b[0], POLLRDNORM, 0 } };

	other = spawn(reads, NULL);
	CHECK_EQ(poll(out, 2, -1), 1);
	CHECK_EQ(out[0].revents, POLLWRNORM);
	join(other);
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}
