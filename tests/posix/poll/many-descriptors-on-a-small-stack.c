// SPDX-License-Identifier: BSD-2-Clause
// A thread with the smallest stack may poll many descriptors.
#include "../harness.h"

#include <sys/eventfd.h>

#define FDS 500

static struct pollfd p[FDS];

static void *body(void *arg)
{
	CHECK_EQ(poll(p, FDS, -1), 1);
	CHECK_EQ(p[FDS - 1].revents, POLLIN);
	return arg;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	for (int i = 0; i < FDS; i++)
		p[i] = (struct pollfd){ .fd = eventfd(0, 0), .events = POLLIN };
	if (p[FDS - 1].fd < 0)
		skip("not enough descriptors");
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN));
	CHECK_OK(pthread_create(&t, &a, body, NULL));
	settle();
	CHECK_OK(eventfd_write(p[FDS - 1].fd, 1));
	join(t);
}
