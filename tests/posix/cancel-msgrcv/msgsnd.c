// SPDX-License-Identifier: BSD-2-Clause
// msgsnd to a full queue is a cancellation point.
#include "../cancel.h"

#include <sys/ipc.h>
#include <sys/msg.h>

static int q;

static void call(void *arg UNUSED)
{
	struct { long type; char text[4096]; } m = { .type = 1 };

	for (;;)
		msgsnd(q, &m, sizeof m.text, 0);
}

int main(void)
{
	q = msgget(IPC_PRIVATE, 0600);
	if (q < 0)
		skip("no System V message queues here");
	check_cancels(call, NULL);
	CHECK_OK(msgctl(q, IPC_RMID, NULL));
}
