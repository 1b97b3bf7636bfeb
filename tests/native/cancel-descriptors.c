// SPDX-License-Identifier: BSD-2-Clause
/*
 * upcall_cancel ends a wait for a descriptor of any thread: on a kernel thread of its own, as one that pthread_create
 * made and that uses the API; and a wait for so many descriptors that the kernel's own call waits for them.  Also where
 * there is soon something to be had, each time.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "check.h"

enum { MANY = 1500 };

static int pipe_ends[2], listener;
static struct pollfd many[MANY];
static upcall_t self_of_pthread;
static struct upcall_sem begun;

static int wait_read(void) { char c; return (int)upcall_read(pipe_ends[0], &c, 1); }
static int wait_accept(void) { return upcall_accept(listener, NULL, NULL, 0); }
static int wait_some(void) { return upcall_poll((struct pollfd[]){ { .fd = pipe_ends[0], .events = POLLIN } }, 1); }
static int wait_many(void) { return upcall_poll(many, MANY); }

static int (*waits[])(void) = { wait_read, wait_accept, wait_some, wait_many };
enum { WAITS = sizeof(waits) / sizeof(waits[0]) };

static void *wait_for(void *arg)
{
	CHECK_IS(waits[(size_t)arg](), -ECANCELED);
	CHECK(upcall_is_cancelled());
	/* It was told once, and what comes after that is as ever. */
	CHECK_IS(upcall_poll_until(many, 1, upcall_after(20 * MS)), 0);
	return NULL;
}

static void *begin_and_wait(void *arg)
{
	self_of_pthread = upcall_self();
	CHECK_IS(upcall_sem_post(&begun), 0);
	return wait_for(arg);
}

static void cancel(upcall_t t, int late)
{
	if (late)
		upcall_sleep(20 * MS);	/* it waits; else it may not even have begun */
	CHECK_IS(upcall_cancel(t), 0);
}

static void test_thread(unsigned flags)
{
	for (size_t i = 0; i < WAITS; i++)
		for (int late = 0; late < 2; late++) {
			struct upcall_attr attr = UPCALL_ATTR_INIT;
			upcall_t t;

			attr.flags = flags;
			CHECK_IS(upcall_create(&t, &attr, wait_for, (void *)i), 0);
			cancel(t, late);
			join(t);
		}
}

static void test_pthread(void)
{
	for (size_t i = 0; i < WAITS; i++)
		for (int late = 0; late < 2; late++) {
			pthread_t t;

			CHECK_IS(pthread_create(&t, NULL, begin_and_wait, (void *)i), 0);
			CHECK_IS(upcall_sem_wait(&begun), 0);
			cancel(self_of_pthread, late);
			CHECK_IS(pthread_join(t, NULL), 0);
		}
}

static int busy_ends[2];
static atomic_bool is_over;

static void *write_often(void *arg)
{
	while (!is_over) {
		CHECK_IS(write(busy_ends[1], "x", 1), 1);
		usleep(2000);
	}
	return arg;
}

static void *read_until_cancelled(void *arg)
{
	uint64_t end = upcall_after(10000 * MS);
	ssize_t n;
	char c;

	do {
		CHECK(upcall_now() < end);
		n = upcall_read(busy_ends[0], &c, 1);
	} while (n == 1);
	CHECK_IS(n, -ECANCELED);
	return arg;
}

static void test_busy(unsigned flags)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	pthread_t writer;
	upcall_t t;

	is_over = false;
	CHECK_IS(pipe(busy_ends), 0);
	CHECK_IS(pthread_create(&writer, NULL, write_often, NULL), 0);
	attr.flags = flags;
	CHECK_IS(upcall_create(&t, &attr, read_until_cancelled, NULL), 0);
	cancel(t, 1);
	join(t);
	is_over = true;
	CHECK_IS(pthread_join(writer, NULL), 0);
}

static void test(void)
{
	CHECK_IS(pipe(pipe_ends), 0);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	CHECK_IS(listen(listener, 1), 0);
	for (int i = 0; i < MANY; i++)
		many[i] = (struct pollfd){ .fd = pipe_ends[0], .events = POLLIN };
	CHECK_IS(upcall_sem_init(&begun, 0), 0);
	test_thread(test_flags);
	test_busy(test_flags);
	if (test_flags)
		return;
	test_thread(UPCALL_BOUND);
	test_busy(UPCALL_BOUND);
	test_pthread();
}
