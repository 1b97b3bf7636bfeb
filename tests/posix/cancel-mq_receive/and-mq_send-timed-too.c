// SPDX-License-Identifier: BSD-2-Clause
// mq_receive and mq_timedreceive on an empty queue, and mq_send and mq_timedsend to a full one, are cancellation points
// (POSIX, 2.9.5.2).  Who is cancelled there takes no message and leaves none.
#include "../cancel.h"

#include <mqueue.h>

enum { SIZE = 8 };

static struct timespec at;

static void receives(void *arg)
{
	char buf[SIZE];

	mq_receive(*(mqd_t *)arg, buf, SIZE, NULL);
}

static void receives_timed(void *arg)
{
	char buf[SIZE];

	mq_timedreceive(*(mqd_t *)arg, buf, SIZE, NULL, &at);
}

static void sends(void *arg)
{
	mq_send(*(mqd_t *)arg, "lost", 4, 1);
}

static void sends_timed(void *arg)
{
	mq_timedsend(*(mqd_t *)arg, "lost", 4, 1, &at);
}

static long messages(mqd_t q)
{
	struct mq_attr a;

	CHECK_OK(mq_getattr(q, &a));
	return a.mq_curmsgs;
}

int main(void)
{
	struct mq_attr a = { .mq_maxmsg = 1, .mq_msgsize = SIZE };
	char name[40], buf[SIZE];
	mqd_t q;

	snprintf(name, sizeof name, "/upcall-test-%d", (int)getpid());
	q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a);
	if (q == (mqd_t)-1)
		skip("no POSIX message queues here");
	mq_unlink(name);
	at = in_ms(CLOCK_REALTIME, 2 * WATCHDOG_SECONDS * 1000L);
	check_cancels(receives, &q);
	check_cancels(receives_timed, &q);
	CHECK_OK(mq_send(q, "kept", 4, 0));
	check_cancels_pending(receives, &q);		/* although there is one */
	check_cancels_pending(receives_timed, &q);
	CHECK_EQ(messages(q), 1);
	check_cancels(sends, &q);
	check_cancels(sends_timed, &q);
	CHECK_EQ(messages(q), 1);
	CHECK_EQ(mq_receive(q, buf, SIZE, NULL), 4);
	CHECK(!memcmp(buf, "kept", 4));
	check_cancels_pending(sends, &q);		/* although there is room */
	check_cancels_pending(sends_timed, &q);
	CHECK_EQ(messages(q), 0);
}
