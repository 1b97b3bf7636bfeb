// SPDX-License-Identifier: BSD-2-Clause
/*
 * A server with a thread for each connection, and its clients.  Calls that wait for a socket keep no
 * kernel thread; a connection on which nothing comes for a second is given up.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <upcall/upcall.h>

enum { CLIENTS = 200, LINES = 20, AT_ONCE = 50 };

static struct upcall_sem places = { { 0 } };
static struct sockaddr_in address = { .sin_family = AF_INET };
static int listener, answered;

static void *serve(void *arg)
{
	int conn = (int)(long)arg;
	char line[64];
	ssize_t n;

	while ((n = upcall_read_until(conn, line, sizeof(line), upcall_after(1000000000))) > 0)
		upcall_write(conn, line, (size_t)n);
	upcall_close(conn);
	upcall_sem_post(&places);
	return NULL;
}

/* No more connections than there are places. */
static void *listen_for_ever(void *arg)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t thread;
	int conn;

	(void)arg;
	attr.flags = UPCALL_DETACHED;
	attr.name = "serve";
	while (upcall_sem_wait(&places) == 0 && (conn = upcall_accept(listener, NULL, NULL, 0)) >= 0)
		if (upcall_create(&thread, &attr, serve, (void *)(long)conn))
			serve((void *)(long)conn);
	return NULL;
}

static void *ask(void *arg)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), same = 0;
	char said[32], heard[32];

	if (upcall_connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return NULL;
	for (int i = 0; i < LINES; i++) {
		int n = snprintf(said, sizeof(said), "%ld says %d", (long)arg, i), got = 0;
		ssize_t more = upcall_write(fd, said, (size_t)n);

		while (more > 0 && got < n && (more = upcall_read(fd, heard + got, (size_t)(n - got))) > 0)
			got += (int)more;
		same += got == n && memcmp(said, heard, (size_t)n) == 0;
	}
	upcall_close(fd);
	__atomic_fetch_add(&answered, same, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	socklen_t size = sizeof(address);
	upcall_t server, client[CLIENTS];

	listener = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, CLIENTS) ||
	    getsockname(listener, (struct sockaddr *)&address, &size) || upcall_sem_init(&places, AT_ONCE) ||
	    upcall_create(&server, NULL, listen_for_ever, NULL))
		return 1;
	for (long i = 0; i < CLIENTS; i++)
		if (upcall_create(&client[i], NULL, ask, (void *)i))
			return 1;
	for (int i = 0; i < CLIENTS; i++)
		upcall_join(client[i], NULL);
	printf("%d lines came back\n", answered);
	return answered != CLIENTS * LINES;
}
