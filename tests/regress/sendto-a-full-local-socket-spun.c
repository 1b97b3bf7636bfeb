// SPDX-License-Identifier: BSD-2-Clause
// A datagram to a local socket whose queue is full was tried again and again: poll says that the sender has room.
#include "../posix/parked.h"

#include <sys/un.h>

static int receiver;

static void *receives(void *arg)
{
	char c;

	sleep_ms(1000);
	while (recv(receiver, &c, 1, MSG_DONTWAIT) > 0)
		;
	return arg;
}

static uint64_t cpu_ns(void)
{
	return now_on(CLOCK_PROCESS_CPUTIME_ID);
}

static void *body(void *arg)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fill = socket(AF_UNIX, SOCK_DGRAM, 0), fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	receiver = socket(AF_UNIX, SOCK_DGRAM, 0);
	snprintf(addr.sun_path + 1, sizeof addr.sun_path - 1, "upcall-test-%d", (int)getpid());
	CHECK_OK(bind(receiver, (struct sockaddr *)&addr, sizeof addr));
	while (sendto(fill, "x", 1, MSG_DONTWAIT, (struct sockaddr *)&addr, sizeof addr) == 1)
		;
	pthread_t other = spawn(receives, NULL);
	uint64_t before = cpu_ns();

	CHECK_EQ(sendto(fd, "y", 1, 0, (struct sockaddr *)&addr, sizeof addr), 1);
	CHECK(cpu_ns() - before < 400 * 1000000ull);
	join(other);
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}
