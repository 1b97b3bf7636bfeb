// SPDX-License-Identifier: BSD-2-Clause
// _exit ends a process whose threads are in every state at once: no handler runs, nothing is flushed or destroyed.
#include "../crowd.h"

static void *leaves(void *arg UNUSED)
{
	crowd_will_leave();
	_exit(7);
}

int main(void)
{
	crowd_prepare();
	for (unsigned turn = 0; turn < 6; turn++) {
		if (!is_due(turn, 6))
			continue;
		CHECK_EQ(crowd_status(turn, leaves), 7 << 8);
		CHECK_EQ(crowd_record->at_exit, 0);
		CHECK_EQ(crowd_record->at_quick_exit, 0);
		CHECK_EQ(crowd_record->of_thread, 0);
		CHECK_EQ(crowd_record->of_key, 0);
		CHECK(!crowd_was_flushed());
	}
	crowd_end();
}
