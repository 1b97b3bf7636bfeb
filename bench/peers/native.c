// SPDX-License-Identifier: BSD-2-Clause
/* Upcall's own interface, on threads without a TLS block. */
#include <upcall/upcall.h>

#include <stdio.h>
#include <stdlib.h>

#include "../bars.h"

typedef upcall_t peer_thread;
typedef struct upcall_mutex peer_lock;
typedef struct upcall_cond peer_cond;
typedef struct upcall_sem peer_sem;

enum { PEER_PROCESSORS = 0 };

static const struct upcall_attr bare = { .size = sizeof(bare), .flags = UPCALL_NO_TLS };

static upcall_t peer_spawn(void *(*body)(void *), void *arg)
{
	upcall_t thread;

	if (upcall_create(&thread, &bare, body, arg) < 0)
		exit(1);
	return thread;
}

static void *peer_join(upcall_t thread)
{
	void *value;

	if (upcall_join(thread, &value) < 0)
		exit(1);
	return value;
}

#define PEER_HAS_ONLY_MICRO 1	/* scale-native and others have the rest */
#define peer_start() ((void)0)
#define peer_end() ((void)0)
#define peer_yield upcall_yield
#define peer_lock_init(lock) upcall_mutex_init((lock), UPCALL_MUTEX_NORMAL)
#define peer_lock_take upcall_mutex_lock
#define peer_lock_drop upcall_mutex_unlock
#define peer_cond_init(cond) (*(cond) = (struct upcall_cond){ 0 })
#define peer_cond_wait upcall_cond_wait
#define peer_cond_signal upcall_cond_signal
#define peer_cond_broadcast upcall_cond_broadcast
#define peer_sem_init(sem) upcall_sem_init((sem), 0)
#define peer_sem_wait upcall_sem_wait
#define peer_sem_post upcall_sem_post

/* The program's main is a thread with a TLS block: what is measured runs on one like its partners. */
#define main bare_main
#include "cases.h"
#undef main

/* Times are those of one machine; peers that are named were the best there. */
static const struct bar bars[] = {
	{ "create-join", ON_ONE_CPU, "-", "ns", 1, "at-most", "peers" },
	{ "batch", ON_ONE_CPU, "-", "ns", 1, "at-most", "peers" },
	{ "yield", ON_ONE_CPU, "-", "ns", 0.8, "at-most", "libfibre" },
	{ "semaphore", ON_ONE_CPU, "-", "ns", 40, "at-most", NULL },
	{ "condition", ON_ONE_CPU, "-", "ns", 55, "at-most", NULL },
	{ "ping-pong-1", ON_ONE_CPU, "-", "ns", 40, "at-most", NULL },
	{ "ping-pong-4", ON_SEVERAL_CPUS, "-", "ns", 50, "at-most", NULL },
	{ "lock", ON_ONE_CPU, "-", "ns", 1.05, "at-most", "go" },
	{ "contended", ON_SEVERAL_CPUS, "-", "Mop/s", 0.93, "at-least", "argobots" },
	{ "contended", ANYWHERE, "least", "of-mean", 0.25, "at-least", NULL },
	{ "spawn-tree", ANYWHERE, "-", "ns", 1, "at-most", "peers" },
	{ "spawn-tree-20", ANYWHERE, "-", "ns", 1, "at-most", "peers" },
};

static struct { int argc; char **argv; } call;

static void *run(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)bare_main(call.argc, call.argv);
}

int main(int argc, char **argv)
{
	enum bar_place here = bar_place_here();

	call.argc = argc;
	call.argv = argv;
	int status = (int)(intptr_t)peer_join(peer_spawn(run, NULL));

	if (status == 0)
		put_bars(bars, sizeof(bars) / sizeof(bars[0]), argv[1], here);
	return status;
}
