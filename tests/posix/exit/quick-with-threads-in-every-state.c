// SPDX-License-Identifier: BSD-2-Clause
// quick_exit ends a process whose threads are in every state at once: the handlers of at_quick_exit run once, nothing
// is flushed.
#include "../crowd.h"

static void *leaves(void *arg UNUSED)
{
	crowd_will_leave();
	quick_exit(6);
}

int main(void)
{
	crowd_prepare();
	for (unsigned turn = 0; turn < 6; turn++) {
		if (!is_due(turn, 6))
			continue;
		CHECK_EQ(crowd_status(turn, leaves), 6 << 8);
		CHECK_EQ(crowd_record->at_exit, 0);
		CHECK_EQ(crowd_record->at_quick_exit, 1);
		CHECK_EQ(crowd_record->of_key, 0);
		CHECK(!crowd_was_flushed());
	}
	crowd_end();
}
