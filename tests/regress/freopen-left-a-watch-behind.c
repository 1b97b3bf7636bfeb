// SPDX-License-Identifier: BSD-2-Clause
// freopen and mq_close close descriptors unseen: what was made of the same number was waited for in vain.
#include "../posix/parked.h"

#include <mqueue.h>

static char path[2][80];
static int held[2];
static mqd_t queue;

static void *writes(void *arg)
{
	settle();
	CHECK_EQ(write(*(int *)arg, "x", 1), 1);
	return arg;
}

static void *sends(void *arg)
{
	settle();
	CHECK_OK(mq_send(queue, "x", 1, 0));
	return arg;
}

static void wait_for(int fd, void *(*fn)(void *), void *arg)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	pthread_t other = spawn(fn, arg);

	CHECK_EQ(poll(&p, 1, -1), 1);
	join(other);
}

static void stream(void)
{
	struct pollfd p = { .events = POLLIN };

	for (int i = 0; i < 2; i++) {
		snprintf(path[i], sizeof path[i], "%s-%d", fresh_path(), i);
		CHECK_OK(mkfifo(path[i], 0600));
		held[i] = open(path[i], O_RDWR);
		CHECK(held[i] >= 0);
	}
	FILE *f = fopen(path[0], "r");
	char c;

	CHECK(f != NULL);
	p.fd = fileno(f);
	wait_for(p.fd, writes, &held[0]);
	CHECK_EQ(read(p.fd, &c, 1), 1);
	CHECK_EQ(poll(&p, 1, 10), 0);
	f = freopen(path[1], "r", f);
	CHECK(f != NULL);
	unlink(path[0]);
	unlink(path[1]);
	wait_for(fileno(f), writes, &held[1]);
}

static bool open_queue(void)
{
	struct mq_attr attr = { .mq_maxmsg = 5, .mq_msgsize = 10 };
	char name[64];

	snprintf(name, sizeof name, "/upcall-test-%d", (int)getpid());
	queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attr);
	mq_unlink(name);
	return queue >= 0;
}

static void message_queue(void)
{
	struct pollfd p = { .events = POLLIN };
	char m[10];

	if (!open_queue())
		return;
	p.fd = queue;
	wait_for(queue, sends, NULL);
	CHECK_EQ(mq_receive(queue, m, sizeof m, NULL), 1);
	CHECK_EQ(poll(&p, 1, 10), 0);
	CHECK_OK(mq_close(queue));
	CHECK(open_queue());
	wait_for(queue, sends, NULL);
}

static void *body(void *arg)
{
	stream();
	message_queue();
	return arg;
}

int main(void)
{
	run_beside_parked(body);
}
