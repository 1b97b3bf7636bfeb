// SPDX-License-Identifier: BSD-2-Clause
/*
 * Load for an echo server: N connections in one epoll loop, each with one message outstanding, for
 * a fixed time.
 *
 *   echo-load --port=N [--connections=100] [--bytes=64] [--warmup=1] [--seconds=5]
 *             [--pid=PID] [--json]
 *
 * Every message carries its connection and its number, and every byte of the answer is compared, so
 * a server that mixes up its threads fails.  With --pid the server's CPU time, kernel threads and
 * resident memory are read from /proc, and requests per CPU-second of the server are printed: the
 * figure that does not depend on how much of the machine the generator takes.
 *
 * Latencies go into a histogram with 64 steps for each power of two (an error of 1.6 % at most).
 */
#include "net.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { MESSAGE_MAX = 4096, STEPS = 64, BUCKETS = STEPS * 48, ANSWER_LIMIT_S = 30 };

struct connection {
	int fd;
	size_t received;
	uint64_t number;
	uint64_t t_sent;
};

static struct {
	long port, connections, bytes, warmup, seconds, pid;
	bool json;
} option = { .connections = 100, .bytes = 64, .warmup = 1, .seconds = 5 };

static struct connection *connections;
static uint64_t histogram[BUCKETS];
static uint64_t counted, slowest_ns;
static bool counting;

static unsigned bucket_of(uint64_t ns)
{
	if (ns < STEPS)
		return (unsigned)ns;

	unsigned shift = 63u - (unsigned)__builtin_clzll(ns) - 6u;
	unsigned bucket = (shift + 1) * STEPS + (unsigned)(ns >> shift) - STEPS;

	return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static uint64_t bucket_floor(unsigned bucket)
{
	if (bucket < STEPS)
		return bucket;
	return (uint64_t)(STEPS + bucket % STEPS) << (bucket / STEPS - 1);
}

static double percentile_us(double share)
{
	uint64_t wanted = (uint64_t)((double)counted * share), seen = 0;

	for (unsigned i = 0; i < BUCKETS; i++) {
		seen += histogram[i];
		if (seen > wanted)
			return (double)bucket_floor(i) / 1e3;
	}
	return (double)slowest_ns / 1e3;
}

/* A message is a function of (connection, number), so that nobody has to keep a copy of it. */
static void compose(const struct connection *c, unsigned char *message)
{
	uint64_t head[2] = { (uint64_t)(c - connections), c->number };
	unsigned char fill = (unsigned char)(head[0] * 31 + head[1] * 7 + 1);

	memset(message, fill, (size_t)option.bytes);
	memcpy(message, head, sizeof(head));
}

static void check(const struct connection *c, const unsigned char *answer, size_t length)
{
	unsigned char expected[MESSAGE_MAX];

	compose(c, expected);
	if (memcmp(answer, expected + c->received, length) != 0) {
		errno = 0;
		die("the server returned other bytes than it was sent");
	}
}

static void send_next(struct connection *c)
{
	unsigned char message[MESSAGE_MAX];

	c->number++;
	c->received = 0;
	compose(c, message);
	c->t_sent = now_ns();
	if (send(c->fd, message, (size_t)option.bytes, MSG_NOSIGNAL) != option.bytes)
		die("send");
}

static void count(uint64_t latency_ns)
{
	counted++;
	histogram[bucket_of(latency_ns)]++;
	if (latency_ns > slowest_ns)
		slowest_ns = latency_ns;
}

/* Returns true when the whole answer is there. */
static bool receive(struct connection *c)
{
	unsigned char answer[MESSAGE_MAX];
	ssize_t n = recv(c->fd, answer, (size_t)option.bytes - c->received, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n < 0)
		die("recv");
	if (n == 0) {
		errno = 0;
		die("the server closed a connection");
	}
	check(c, answer, (size_t)n);
	c->received += (size_t)n;
	return c->received == (size_t)option.bytes;
}

/*
 * One connection after the other, each with a whole round trip: no queue of the server overflows,
 * and every connection has its thread before the clock starts.
 */
static void open_connections(int loop)
{
	struct timeval limit = { .tv_sec = ANSWER_LIMIT_S };

	connections = calloc((size_t)option.connections, sizeof(*connections));
	if (!connections)
		die("calloc");
	for (long i = 0; i < option.connections; i++) {
		struct connection *c = &connections[i];
		struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };

		c->fd = connect_loopback(option.port);
		if (c->fd < 0)
			die("connect");
		setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
		send_next(c);
		while (!receive(c)) {
			if (now_ns() - c->t_sent > ANSWER_LIMIT_S * 1000000000ull) {
				errno = ETIMEDOUT;
				die("first answer");
			}
		}
		set_nonblocking(c->fd);
		if (epoll_ctl(loop, EPOLL_CTL_ADD, c->fd, &event) < 0)
			die("epoll_ctl");
	}
}

static void run_until(int loop, uint64_t t_end)
{
	struct epoll_event events[256];
	uint64_t t_answer = now_ns();

	for (uint64_t now = t_answer; now < t_end; now = now_ns()) {
		int n = epoll_wait(loop, events, 256, 100);

		if (n < 0 && errno != EINTR)
			die("epoll_wait");
		if (n > 0)
			t_answer = now_ns();
		else if (now - t_answer > ANSWER_LIMIT_S * 1000000000ull) {
			errno = ETIMEDOUT;
			die("answer");
		}
		for (int i = 0; i < n; i++) {
			struct connection *c = events[i].data.ptr;

			if (!receive(c))
				continue;
			if (counting)
				count(now_ns() - c->t_sent);
			send_next(c);
		}
	}
}

/* User and system time of every thread of the server, those that ended included. */
static double server_cpu_s(void)
{
	char path[64], line[1024];

	if (!option.pid)
		return 0;
	snprintf(path, sizeof(path), "/proc/%ld/stat", option.pid);

	FILE *file = fopen(path, "r");
	if (!file)
		die(path);
	if (!fgets(line, sizeof(line), file))
		die(path);
	fclose(file);

	unsigned long user, system;
	const char *after_name = strrchr(line, ')');
	if (!after_name || sscanf(after_name, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
				  &user, &system) != 2) {
		errno = EINVAL;
		die(path);
	}
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static long server_status(const char *key)
{
	char path[64], line[256];
	long value = 0;

	if (!option.pid)
		return 0;
	snprintf(path, sizeof(path), "/proc/%ld/status", option.pid);

	FILE *file = fopen(path, "r");
	if (!file)
		die(path);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, strlen(key)) == 0)
			value = strtol(line + strlen(key), NULL, 10);
	}
	fclose(file);
	return value;
}

static void report(double seconds, double cpu_s)
{
	double rate = (double)counted / seconds;
	double p50 = percentile_us(0.50), p99 = percentile_us(0.99);
	long threads = server_status("Threads:"), rss_kb = server_status("VmRSS:");
	double per_cpu_s = cpu_s > 0 ? (double)counted / cpu_s : 0;

	if (option.json) {
		printf("{\"connections\": %ld, \"bytes\": %ld, \"seconds\": %.3f, \"requests\": %" PRIu64
		       ", \"requests_per_s\": %.0f, \"p50_us\": %.1f, \"p99_us\": %.1f",
		       option.connections, option.bytes, seconds, counted, rate, p50, p99);
		if (option.pid)
			printf(", \"server_cpu_s\": %.2f, \"requests_per_cpu_s\": %.0f, "
			       "\"server_kernel_threads\": %ld, \"server_rss_kb\": %ld",
			       cpu_s, per_cpu_s, threads, rss_kb);
		printf("}\n");
		return;
	}
	printf("%ld connections, %.1f s: %.0f requests/s, p50 %.1f us, p99 %.1f us\n",
	       option.connections, seconds, rate, p50, p99);
	if (option.pid)
		printf("server: %.2f CPU-seconds, %.0f requests per CPU-second, "
		       "%ld kernel threads, %ld kB\n", cpu_s, per_cpu_s, threads, rss_kb);
}

static void parse(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];

		if (strcmp(a, "--json") == 0)
			option.json = true;
		else if (!option_number(a, "--port", 1, 65535, &option.port) &&
			 !option_number(a, "--connections", 1, 200000, &option.connections) &&
			 !option_number(a, "--bytes", 16, MESSAGE_MAX, &option.bytes) &&
			 !option_number(a, "--warmup", 0, 600, &option.warmup) &&
			 !option_number(a, "--seconds", 1, 600, &option.seconds) &&
			 !option_number(a, "--pid", 1, 1 << 30, &option.pid))
			goto usage;
	}
	if (option.port)
		return;
usage:
	fprintf(stderr, "usage: echo-load --port=N [--connections=N] [--bytes=N] [--warmup=S] "
			"[--seconds=S] [--pid=PID] [--json]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	raise_descriptor_limit();
	signal(SIGPIPE, SIG_IGN);

	int loop = epoll_create1(EPOLL_CLOEXEC);
	if (loop < 0)
		die("epoll_create1");
	open_connections(loop);
	for (long i = 0; i < option.connections; i++)
		send_next(&connections[i]);
	run_until(loop, now_ns() + (uint64_t)option.warmup * 1000000000u);

	double cpu_s = server_cpu_s();
	uint64_t t_start = now_ns();
	counting = true;
	run_until(loop, t_start + (uint64_t)option.seconds * 1000000000u);

	double seconds = (double)(now_ns() - t_start) / 1e9;
	report(seconds, server_cpu_s() - cpu_s);
	return counted > 0 ? 0 : 1;
}
