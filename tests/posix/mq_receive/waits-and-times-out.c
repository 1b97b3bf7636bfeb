// SPDX-License-Identifier: BSD-2-Clause
// mq_receive waits for a message while others run; mq_timedreceive gives ETIMEDOUT.
#include "../harness.h"
#include <mqueue.h>

static mqd_t q;
static atomic_bool timed_out;

static void *body(void *arg UNUSED)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 20);
	char buf[16];
	unsigned int prio = 0;

	CHECK_ERRNO(mq_timedreceive(q, buf, sizeof buf, NULL, &at), ETIMEDOUT);
	timed_out = true;
	CHECK_EQ(mq_receive(q, buf, sizeof buf, &prio), 2);
	CHECK_EQ(prio, 4);
	return NULL;
}

int main(void)
{
	struct mq_attr a = { .mq_maxmsg = 2, .mq_msgsize = 16 };
	char name[40];
	pthread_t t;

	snprintf(name, sizeof name, "/upcall-test-%d", (int)getpid());
	q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a);
	if (q == (mqd_t)-1)
		skip("no POSIX message queues here");
	mq_unlink(name);
	t = spawn(body, NULL);
	WAIT_FOR(timed_out);
	settle();
	CHECK_OK(mq_send(q, "hi", 2, 4));
	join(t);
}
