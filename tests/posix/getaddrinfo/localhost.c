// SPDX-License-Identifier: BSD-2-Clause
// Name look-ups work in many threads at once.
#include "../harness.h"
#include <netdb.h>

static void *body(void *arg UNUSED)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM }, *r;

	for (int i = 0; i < 20; i++) {
		CHECK_OK(getaddrinfo("127.0.0.1", "80", &hints, &r));
		CHECK_EQ(r->ai_family, AF_INET);
		freeaddrinfo(r);
	}
	if (getaddrinfo("localhost", NULL, NULL, &r) == 0)
		freeaddrinfo(r);
	return NULL;
}

int main(void)
{
	pthread_t t[6];

	spawn_many(t, 6, body);
	join_many(t, 6);
}
