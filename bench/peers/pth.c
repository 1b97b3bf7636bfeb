// SPDX-License-Identifier: BSD-2-Clause
/* GNU Pth. */
#include <pth.h>

#include <signal.h>
#include <stdlib.h>

#include "../../examples/echo/net.h"

typedef pth_t peer_thread;
typedef pth_mutex_t peer_lock;
typedef pth_cond_t peer_cond;

enum { PEER_PROCESSORS = 1 };

static pth_t peer_spawn(void *(*body)(void *), void *arg)
{
	pth_t thread = pth_spawn(PTH_ATTR_DEFAULT, body, arg);

	if (!thread)
		exit(1);
	return thread;
}

static void *peer_join(pth_t thread)
{
	void *value;

	if (!pth_join(thread, &value))
		exit(1);
	return value;
}

static void *serve_one(void *arg)
{
	int connection = (int)(intptr_t)arg;
	char buffer[4096];
	ssize_t n;

	while ((n = pth_read(connection, buffer, sizeof(buffer))) > 0)
		if (pth_write(connection, buffer, (size_t)n) != n)
			break;
	close(connection);
	return NULL;
}

_Noreturn static void peer_echo(int listener)
{
	pth_attr_t detached = pth_attr_new();
	int one;

	signal(SIGPIPE, SIG_IGN);
	pth_attr_set(detached, PTH_ATTR_JOINABLE, FALSE);
	while ((one = pth_accept(listener, NULL, NULL)) >= 0) {
		set_nodelay(one);
		if (!pth_spawn(detached, serve_one, (void *)(intptr_t)one))
			break;
	}
	die("pth_accept");
}

#define peer_start() pth_init()
#define peer_end() pth_kill()
#define peer_yield() pth_yield(NULL)
#define peer_lock_init(lock) pth_mutex_init(lock)
#define peer_lock_take(lock) pth_mutex_acquire((lock), FALSE, NULL)
#define peer_lock_drop(lock) pth_mutex_release(lock)
#define peer_cond_init(cond) pth_cond_init(cond)
#define peer_cond_wait(cond, lock) pth_cond_await((cond), (lock), NULL)
#define peer_cond_signal(cond) pth_cond_notify((cond), FALSE)
#define peer_cond_broadcast(cond) pth_cond_notify((cond), TRUE)

#define PEER_THREADS_MAX 1000	/* it looks at all of them, time and again */
#define PEER_HAS_STEPS 0	/* the same */
#define PEER_IS_BREADTH_FIRST 1
#define PEER_CONNECTIONS_MAX 1000	/* it selects, of 1,024 descriptors */

#include "built.h"
#include "cases.h"
