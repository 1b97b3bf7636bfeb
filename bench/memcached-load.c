// SPDX-License-Identifier: BSD-2-Clause
/*
 * A load for memcached: connections that each ask, wait for the answer, and ask again; one request
 * in ten stores a value, the others read one and compare it.
 *
 *   memcached-load PORT CONNECTIONS SECONDS
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../examples/echo/net.h"

enum { KEYS = 1000, VALUE = 100, ANSWER_MAX = 512, SAMPLES_MAX = 1 << 22 };

struct client {
	int fd;
	unsigned key;
	size_t received, expected;
	char answer[ANSWER_MAX], wanted[ANSWER_MAX];
	uint64_t t_sent;
};

static uint32_t samples[SAMPLES_MAX];
static size_t count;

static void send_all(int fd, const char *text, size_t length)
{
	if (send(fd, text, length, MSG_NOSIGNAL) != (ssize_t)length)
		die("send");
}

/* The value of a key is its number, again and again. */
static void value_of(unsigned key, char value[VALUE + 1])
{
	for (size_t n = 0; n < VALUE; n += 10)
		snprintf(value + n, VALUE + 1 - n, "%09u,", key);
}

static void ask(struct client *c, bool is_set)
{
	char request[ANSWER_MAX], value[VALUE + 1];
	int n;

	value_of(c->key, value);
	if (is_set) {
		n = snprintf(request, sizeof(request), "set key-%u 0 0 %d\r\n%s\r\n", c->key, VALUE,
			     value);
		strcpy(c->wanted, "STORED\r\n");
	} else {
		n = snprintf(request, sizeof(request), "get key-%u\r\n", c->key);
		snprintf(c->wanted, sizeof(c->wanted), "VALUE key-%u 0 %d\r\n%s\r\nEND\r\n", c->key,
			 VALUE, value);
	}
	c->expected = strlen(c->wanted);
	c->received = 0;
	c->t_sent = now_ns();
	send_all(c->fd, request, (size_t)n);
}

/* Returns true when the answer is complete. */
static bool hear(struct client *c)
{
	ssize_t n = recv(c->fd, c->answer + c->received, sizeof(c->answer) - c->received, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0)
		die("the server ended a connection");
	c->received += (size_t)n;
	if (memcmp(c->answer, c->wanted, c->received < c->expected ? c->received : c->expected) ||
	    c->received > c->expected) {
		errno = 0;
		die("another answer than wanted");
	}
	return c->received == c->expected;
}

static void fill(struct client *c)
{
	for (c->key = 0; c->key < KEYS; c->key++) {
		ask(c, true);
		while (!hear(c))
			;
	}
}

static void add_sample(uint64_t ns)
{
	samples[count++ % SAMPLES_MAX] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

static void run(int loop, uint64_t t_end)
{
	struct epoll_event events[64];
	uint64_t now;

	while ((now = now_ns()) < t_end) {
		int n = epoll_wait(loop, events, 64, 1000);

		for (int i = 0; i < n; i++) {
			struct client *c = events[i].data.ptr;

			if (!hear(c))
				continue;
			add_sample(now_ns() - c->t_sent);
			c->key = (c->key * 7 + 1) % KEYS;
			ask(c, count % 10 == 0);
		}
	}
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	long port = argc == 4 ? atol(argv[1]) : 0, n = port ? atol(argv[2]) : 0;
	long seconds = port ? atol(argv[3]) : 0;

	if (port <= 0 || n <= 0 || seconds <= 0) {
		fprintf(stderr, "usage: memcached-load PORT CONNECTIONS SECONDS\n");
		return 2;
	}
	raise_descriptor_limit();

	struct client *clients = calloc((size_t)n, sizeof(*clients));
	int loop = epoll_create1(EPOLL_CLOEXEC);
	if (!clients || loop < 0)
		die("epoll_create1");
	for (long i = 0; i < n; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.ptr = &clients[i] };

		clients[i].fd = connect_loopback(port);
		if (clients[i].fd < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, clients[i].fd, &event))
			die("connect");
	}
	fill(&clients[0]);

	uint64_t t_start = now_ns();
	for (long i = 0; i < n; i++) {
		clients[i].key = (unsigned)i * 31 % KEYS;
		ask(&clients[i], false);
	}
	run(loop, t_start + (uint64_t)seconds * 1000000000u);
	double elapsed_s = (double)(now_ns() - t_start) / 1e9;

	size_t kept = count < SAMPLES_MAX ? count : SAMPLES_MAX;
	if (kept == 0)
		die("no answer");
	qsort(samples, kept, sizeof(samples[0]), by_value);
	printf("throughput %.0f requests/s\np99 %.1f us\n", (double)count / elapsed_s,
	       samples[kept * 99 / 100] / 1e3);
	return 0;
}
