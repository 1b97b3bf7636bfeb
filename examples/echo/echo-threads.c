// SPDX-License-Identifier: BSD-2-Clause
/*
 * An echo server as the textbooks write it: one thread for each connection, blocking calls only.
 *
 *   echo-threads [--port=N]
 *
 * The main thread waits for SIGTERM or SIGINT and exits in the ordinary way.
 */
#include "net.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool write_all(int fd, const char *from, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, from, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		from += n;
		length -= (size_t)n;
	}
	return true;
}

static void *serve(void *argument)
{
	int fd = (int)(intptr_t)argument;
	char buffer[4096];

	for (;;) {
		ssize_t n = read(fd, buffer, sizeof(buffer));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || !write_all(fd, buffer, (size_t)n))
			break;
	}
	close(fd);
	return NULL;
}

static void start_thread(int fd)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd);

	if (error) {
		fprintf(stderr, "echo-threads: pthread_create: %s\n", strerror(error));
		close(fd);
		return;
	}
	pthread_detach(thread);
}

/* Running out of descriptors passes when a client leaves; any other failure is final. */
static void *accept_loop(void *argument)
{
	int listener = (int)(intptr_t)argument;

	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd >= 0) {
			set_nodelay(fd);
			start_thread(fd);
		} else if (errno == EMFILE || errno == ENFILE) {
			usleep(10000);
		} else if (errno != EINTR && errno != ECONNABORTED) {
			die("accept");
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long port = 7007;

	for (int i = 1; i < argc; i++) {
		if (!option_number(argv[i], "--port", 0, 65535, &port)) {
			fprintf(stderr, "usage: echo-threads [--port=N]\n");
			return 2;
		}
	}
	raise_descriptor_limit();
	signal(SIGPIPE, SIG_IGN);

	sigset_t ends;
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);

	int listener = listen_loopback(port);
	pthread_t acceptor;
	errno = pthread_create(&acceptor, NULL, accept_loop, (void *)(intptr_t)listener);
	if (errno)
		die("pthread_create");

	int signal_number;
	sigwait(&ends, &signal_number);
	exit(0);
}
