// SPDX-License-Identifier: BSD-2-Clause
// Who asked to be notified of a message is notified, also where threads have begun since, once; by a signal or a thread.
#include "../harness.h"

#include <mqueue.h>

static atomic_int signals, calls;

static void handler(int sig)
{
	(void)sig;
	signals++;
}

static void called(union sigval value)
{
	calls += value.sival_int;
}

int main(void)
{
	struct mq_attr attr = { .mq_maxmsg = 4, .mq_msgsize = 16 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	char name[64], text[16];

	snprintf(name, sizeof(name), "/upcall-test-%d", (int)getpid());
	mqd_t mq = mq_open(name, O_CREAT | O_RDWR | O_EXCL, 0600, &attr);

	if (mq == (mqd_t)-1)
		return 77;
	mq_unlink(name);
	signal(SIGUSR1, handler);
	CHECK_EQ(mq_notify(mq, &event), 0);
	CHECK_EQ(mq_notify(mq, &event), -1);
	CHECK_EQ(errno, EBUSY);
	for (int i = 0; i < 4; i++)
		join(spawn(nothing, NULL));
	sleep_ms(20);
	CHECK_EQ(mq_send(mq, "hello", 5, 0), 0);
	WAIT_FOR(signals == 1);
	CHECK_EQ(mq_receive(mq, text, sizeof(text), NULL), 5);

	struct sigevent by_thread = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = called, .sigev_value = { 3 } };

	for (int i = 1; i <= 5; i++) {
		CHECK_EQ(mq_notify(mq, &by_thread), 0);
		CHECK_EQ(mq_send(mq, "again", 5, 0), 0);
		WAIT_FOR(calls == 3 * i);
		CHECK_EQ(mq_receive(mq, text, sizeof(text), NULL), 5);
	}
	CHECK_EQ(signals, 1);
	return 0;
}
