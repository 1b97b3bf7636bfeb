// SPDX-License-Identifier: BSD-2-Clause
// msgrcv waits for a message of its type while other threads run.
#include "../harness.h"
#include <sys/ipc.h>
#include <sys/msg.h>

struct message {
	long type;
	int value;
};

static int q;

static void *body(void *arg)
{
	long type = (long)(intptr_t)arg + 1;
	struct message m;

	for (int i = 0; i < 20; i++) {
		CHECK_EQ(msgrcv(q, &m, sizeof m.value, type, 0), (ssize_t)sizeof m.value);
		CHECK_EQ(m.value, type * 100 + i);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	q = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
	if (q == -1)
		skip("no System V message queues here");
	spawn_many(t, 4, body);
	for (int i = 0; i < 20; i++)
		for (long type = 1; type <= 4; type++) {
			struct message m = { type, (int)type * 100 + i };

			CHECK_OK(msgsnd(q, &m, sizeof m.value, 0));
		}
	join_many(t, 4);
	CHECK_OK(msgctl(q, IPC_RMID, NULL));
}
