// SPDX-License-Identifier: BSD-2-Clause
// exit ends a process whose threads are in every state at once, from main and from any thread: handlers run once,
// streams are flushed, and of what belongs to a thread the caller's thread_local objects are destroyed, no keys.
#include "../crowd.h"

static unsigned seed;

static void *leaves(void *arg)
{
	crowd_will_leave();
	exit((int)(intptr_t)arg);
}

static void from_main(void)
{
	crowd_gather(seed);
	leaves((void *)5);
}

static void from_thread(void)
{
	crowd_gather(seed);
	join(spawn(leaves, (void *)5));
}

static void on_usr2(int sig UNUSED)
{
	leaves((void *)5);
}

static void from_handler(void)
{
	crowd_gather(seed);
	on_signal(SIGUSR2, on_usr2, 0);
	raise(SIGUSR2);
}

int main(void)
{
	static void (*const ways[])(void) = { from_main, from_thread, from_handler };

	crowd_prepare();
	for (seed = 0; seed < 6; seed++) {
		memset(crowd_record, 0, sizeof(*crowd_record));
		int status = in_child(ways[seed % 3]);

		CHECK_EQ(status, 5 << 8);
		CHECK_EQ(crowd_record->at_exit, 1);
		CHECK_EQ(crowd_record->at_quick_exit, 0);
		CHECK_EQ(crowd_record->of_thread, 1);
		CHECK_EQ(crowd_record->of_key, 0);
		CHECK(crowd_was_flushed());
	}
	crowd_end();
}
