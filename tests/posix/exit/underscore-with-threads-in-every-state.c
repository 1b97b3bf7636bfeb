// SPDX-License-Identifier: BSD-2-Clause
// _exit ends a process whose threads are in every state at once: no handler runs, nothing is flushed or destroyed.
#include "../crowd.h"

static unsigned seed;

static void *leaves(void *arg UNUSED)
{
	crowd_will_leave();
	_exit(7);
}

static void from_main(void)
{
	crowd_gather(seed);
	leaves(NULL);
}

static void from_thread(void)
{
	crowd_gather(seed);
	join(spawn(leaves, NULL));
}

int main(void)
{
	crowd_prepare();
	for (seed = 0; seed < 6; seed++) {
		memset(crowd_record, 0, sizeof(*crowd_record));
		int status = in_child(seed % 2 ? from_thread : from_main);

		CHECK_EQ(status, 7 << 8);
		CHECK_EQ(crowd_record->at_exit, 0);
		CHECK_EQ(crowd_record->at_quick_exit, 0);
		CHECK_EQ(crowd_record->of_thread, 0);
		CHECK_EQ(crowd_record->of_key, 0);
		CHECK(!crowd_was_flushed());
	}
	crowd_end();
}
