// SPDX-License-Identifier: BSD-2-Clause
/* GNU Pth. */
#include <pth.h>

#include <stdlib.h>

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
#define PEER_IS_BREADTH_FIRST 1

#include "built.h"
#include "cases.h"
