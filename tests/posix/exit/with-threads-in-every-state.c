// SPDX-License-Identifier: BSD-2-Clause
// exit ends a process whose threads are in every state at once, from main and from any thread: handlers run once,
// streams are flushed, and of what belongs to a thread the caller's thread_local objects are destroyed, no keys.
#include "../crowd.h"

static void *leaves(void *arg UNUSED)
{
	crowd_will_leave();
	exit(5);
}

static void on_usr2(int sig UNUSED)
{
	leaves(NULL);
}

static void *leaves_in_handler(void *arg UNUSED)
{
	on_signal(SIGUSR2, on_usr2, 0);
	raise(SIGUSR2);
	return NULL;
}

int main(void)
{
	crowd_prepare();
	for (unsigned turn = 0; turn < 6; turn++) {
		if (!is_due(turn, 6))
			continue;
		CHECK_EQ(crowd_status(turn, turn < 4 ? leaves : leaves_in_handler), 5 << 8);
		CHECK_EQ(crowd_record->at_exit, 1);
		CHECK_EQ(crowd_record->at_quick_exit, 0);
		CHECK_EQ(crowd_record->of_thread, 1);
		CHECK_EQ(crowd_record->of_key, 0);
		CHECK(crowd_was_flushed());
	}
	crowd_end();
}
