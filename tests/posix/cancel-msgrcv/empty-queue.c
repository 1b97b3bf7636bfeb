// SPDX-License-Identifier: BSD-2-Clause
// msgrcv on an empty queue is a cancellation point.
#include "../cancel.h"
#include <sys/ipc.h>
#include <sys/msg.h>

static void call(void *arg)
{
	struct {
		long type;
		char text[8];
	} m;

	CHECK(msgrcv(*(int *)arg, &m, sizeof m.text, 0, 0) != -1);
}

int main(void)
{
	int q = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);

	if (q == -1)
		skip("no System V message queues here");
	check_cancels(call, &q);
	CHECK_OK(msgctl(q, IPC_RMID, NULL));
}
