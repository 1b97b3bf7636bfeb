// SPDX-License-Identifier: BSD-2-Clause
// quick_exit ends a process whose threads are in every state at once: the handlers of at_quick_exit run once, nothing
// is flushed.
#include "../crowd.h"

static unsigned seed;

static void *leaves(void *arg UNUSED)
{
	crowd_will_leave();
	quick_exit(6);
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

		CHECK_EQ(status, 6 << 8);
		CHECK_EQ(crowd_record->at_exit, 0);
		CHECK_EQ(crowd_record->at_quick_exit, 1);
		CHECK_EQ(crowd_record->of_key, 0);
		CHECK(!crowd_was_flushed());
	}
	crowd_end();
}
