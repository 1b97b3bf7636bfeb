// SPDX-License-Identifier: BSD-2-Clause
/* State Threads.  Its conditions know no lock: only one thread runs at a time, and none is preempted. */
#include <st.h>

#include <stdlib.h>

#include "../../examples/echo/net.h"

typedef st_thread_t peer_thread;
typedef st_mutex_t peer_lock;
typedef st_cond_t peer_cond;
typedef struct { st_cond_t is_posted; unsigned value; } peer_sem;

enum { PEER_PROCESSORS = 1 };

static st_thread_t peer_spawn(void *(*body)(void *), void *arg)
{
	st_thread_t thread = st_thread_create(body, arg, 1, 0);

	if (!thread)
		exit(1);
	return thread;
}

static void *peer_join(st_thread_t thread)
{
	void *value;

	if (st_thread_join(thread, &value))
		exit(1);
	return value;
}

static void peer_cond_wait(st_cond_t *cond, st_mutex_t *lock)
{
	st_mutex_unlock(*lock);
	st_cond_wait(*cond);
	st_mutex_lock(*lock);
}

static void peer_sem_init(peer_sem *s)
{
	s->is_posted = st_cond_new();
	s->value = 0;
}

static void peer_sem_wait(peer_sem *s)
{
	while (!s->value)
		st_cond_wait(s->is_posted);
	s->value--;
}

static void peer_sem_post(peer_sem *s)
{
	s->value++;
	st_cond_signal(s->is_posted);
}

static void *serve_one(void *arg)
{
	st_netfd_t connection = (st_netfd_t)arg;
	char buffer[4096];
	ssize_t n;

	while ((n = st_read(connection, buffer, sizeof(buffer), ST_UTIME_NO_TIMEOUT)) > 0)
		if (st_write(connection, buffer, (size_t)n, ST_UTIME_NO_TIMEOUT) != n)
			break;
	st_netfd_close(connection);
	return NULL;
}

_Noreturn static void peer_echo(int listener)
{
	st_netfd_t all = st_netfd_open_socket(listener), one;

	while (all && (one = st_accept(all, NULL, NULL, ST_UTIME_NO_TIMEOUT))) {
		set_nodelay(st_netfd_fileno(one));
		if (!st_thread_create(serve_one, one, 0, 0))
			break;
	}
	die("st_accept");
}

static void peer_start(void)
{
	/* Select has 1,024 descriptors.  The other one is epoll, where the library was built with it. */
	if (st_set_eventsys(ST_EVENTSYS_ALT) || st_get_eventsys() != ST_EVENTSYS_ALT)
		st_set_eventsys(ST_EVENTSYS_POLL);
	if (st_init())
		exit(1);
}

#define peer_end() ((void)0)
#define peer_yield() st_sleep(0)
#define peer_lock_init(lock) (*(lock) = st_mutex_new())
#define peer_lock_take(lock) st_mutex_lock(*(lock))
#define peer_lock_drop(lock) st_mutex_unlock(*(lock))
#define peer_cond_init(cond) (*(cond) = st_cond_new())
#define peer_cond_signal(cond) st_cond_signal(*(cond))
#define peer_cond_broadcast(cond) st_cond_broadcast(*(cond))

#define PEER_IS_BREADTH_FIRST 1
#define PEER_CONNECTIONS_MAX 1000000

#include "cases.h"
