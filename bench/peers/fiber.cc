// SPDX-License-Identifier: BSD-2-Clause
/* Boost.Fiber, on one kernel thread: its round robin. */
#include <boost/fiber/all.hpp>

#include <cstdint>

/* A fiber returns nothing: what it would return is kept beside it. */
struct answering { boost::fibers::fiber fiber; void *value; };
typedef answering *peer_thread;
typedef boost::fibers::mutex peer_lock;
typedef boost::fibers::condition_variable_any peer_cond;

enum { PEER_PROCESSORS = 1 };

static peer_thread peer_spawn(void *(*body)(void *), void *arg)
{
	peer_thread thread = new answering;

	thread->fiber = boost::fibers::fiber([=] { thread->value = body(arg); });
	return thread;
}

static void *peer_join(peer_thread thread)
{
	thread->fiber.join();
	void *value = thread->value;

	delete thread;
	return value;
}

#define peer_start() ((void)0)
#define peer_end() ((void)0)
#define peer_yield() boost::this_fiber::yield()
#define peer_lock_init(l) ((void)(l))
#define peer_lock_take(l) (l)->lock()
#define peer_lock_drop(l) (l)->unlock()
#define peer_cond_init(c) ((void)(c))
#define peer_cond_wait(c, l) (c)->wait(*(l))
#define peer_cond_signal(c) (c)->notify_one()
#define peer_cond_broadcast(c) (c)->notify_all()

#define PEER_IS_BREADTH_FIRST 1

#include "built.h"
#include "cases.h"
