// SPDX-License-Identifier: BSD-2-Clause
/*
 * The echo server with a thread for each connection (examples/echo/echo-threads.c) on <upcall/upcall.h>:
 * threads without TLS blocks, and calls that wait without a kernel thread.
 *
 *   echo-native [--port=N]
 */
#include "../examples/echo/net.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <upcall/upcall.h>

static void *serve(void *argument)
{
	int fd = (int)(intptr_t)argument;
	char buffer[4096];
	ssize_t n;

	while ((n = upcall_read(fd, buffer, sizeof(buffer))) > 0)
		if (upcall_write(fd, buffer, (size_t)n) != n)
			break;
	upcall_close(fd);
	return NULL;
}

static int start(void *(*body)(void *), int fd)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t thread;

	attr.flags = UPCALL_NO_TLS | UPCALL_DETACHED;
	int error = -upcall_create(&thread, &attr, body, (void *)(intptr_t)fd);

	if (error)
		fprintf(stderr, "echo-native: upcall_create: %s\n", strerror(error));
	return error;
}

/* Running out of descriptors passes when a client leaves; any other failure is final. */
static void *accept_loop(void *argument)
{
	int listener = (int)(intptr_t)argument;

	for (;;) {
		int fd = upcall_accept(listener, NULL, NULL, 0);

		if (fd >= 0) {
			set_nodelay(fd);
			if (start(serve, fd))
				upcall_close(fd);
		} else if (fd == -EMFILE || fd == -ENFILE) {
			upcall_sleep(10000000);
		} else if (fd != -EINTR && fd != -ECONNABORTED) {
			errno = -fd;
			die("accept");
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct signalfd_siginfo end;
	sigset_t ends;
	long port = 7007;

	for (int i = 1; i < argc; i++) {
		if (!option_number(argv[i], "--port", 0, 65535, &port)) {
			fprintf(stderr, "usage: echo-native [--port=N]\n");
			return 2;
		}
	}
	raise_descriptor_limit();
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);

	int told = signalfd(-1, &ends, SFD_CLOEXEC);

	if (told < 0)
		die("signalfd");
	if (start(accept_loop, listen_loopback(port)))
		return 1;
	return upcall_read(told, &end, sizeof(end)) == sizeof(end) ? 0 : 1;
}
