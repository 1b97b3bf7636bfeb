// SPDX-License-Identifier: BSD-2-Clause
/*
 * A cancellation that comes as a part is done, or as what is waited for arrives, is told by one call: that one, or if
 * it says what it has got, the next that waits.
 */
#include <sys/socket.h>

#include "check.h"

enum { BULK = 1 << 20, ROUNDS = 50 };

static struct upcall_event event;
static struct upcall_channel *channel;
static struct upcall_sem sem;
static upcall_t other;
static int ends[2];

static int wait_park(void) { return upcall_park(); }
static int wait_event(void) { return upcall_event_wait(&event); }
static int wait_channel(void) { int n; return upcall_channel_receive(channel, &n); }
static int wait_join(void) { return upcall_join(other, NULL); }
static int wait_all(void) { char all[4]; return (int)upcall_recv(ends[0], all, sizeof(all), MSG_WAITALL); }

static int wait_write(void)
{
	static char bulk[BULK];

	return (int)upcall_write(ends[1], bulk, BULK);
}

static void come_park(upcall_t t) { upcall_unpark(t); }
static void come_event(upcall_t t) { (void)t; upcall_event_set(&event); }
static void come_channel(upcall_t t) { (void)t; CHECK_IS(upcall_channel_send(channel, &(int){ 1 }), 0); }
static void come_join(upcall_t t) { (void)t; CHECK_IS(upcall_sem_post(&sem), 0); }
static void come_part(upcall_t t) { (void)t; }

static const struct {
	int (*wait)(void);
	void (*come)(upcall_t);
	int got;		/* what it gives if it is not the one to tell */
} kinds[] = {
	{ wait_park, come_park, 0 },
	{ wait_event, come_event, 0 },
	{ wait_channel, come_channel, 0 },
	{ wait_join, come_join, 0 },
	{ wait_all, come_part, 2 },
	{ wait_write, come_part, -1 },
};

static void *wait_twice(void *arg)
{
	size_t kind = (size_t)arg;
	int first = kinds[kind].wait();
	int second = upcall_sleep(first == -ECANCELED ? MS : 5000 * MS);

	if (first != -ECANCELED)
		CHECK(kinds[kind].got < 0 ? first > 0 && first < BULK : first == kinds[kind].got);
	CHECK_IS(second, first == -ECANCELED ? 0 : -ECANCELED);
	return NULL;
}

static void *end_when_told(void *arg)
{
	CHECK_IS(upcall_sem_wait(&sem), 0);
	return arg;
}

static void test_kind(size_t kind)
{
	upcall_event_reset(&event);
	CHECK_IS(upcall_channel_create(&channel, 1, sizeof(int)), 0);
	CHECK_IS(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	if (kinds[kind].wait == wait_join)
		other = spawn(end_when_told, NULL);
	upcall_t t = spawn(wait_twice, (void *)kind);

	if (kinds[kind].wait == wait_all)
		CHECK_IS(upcall_write(ends[1], "ab", 2), 2);
	upcall_sleep(2 * MS);
	CHECK_IS(upcall_cancel(t), 0);
	kinds[kind].come(t);
	join(t);
	if (kinds[kind].wait == wait_join)
		upcall_join(other, NULL);	/* -ESRCH, if it has been */
	upcall_channel_destroy(channel);
	CHECK_IS(upcall_close(ends[0]), 0);
	CHECK_IS(upcall_close(ends[1]), 0);
}

static void test(void)
{
	CHECK_IS(upcall_sem_init(&sem, 0), 0);
	for (int round = 0; round < ROUNDS; round++)
		for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
			test_kind(kind);
}
