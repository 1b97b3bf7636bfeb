// SPDX-License-Identifier: BSD-2-Clause
// main ends by pthread_exit among threads in every state, which go on: the values of its keys are destroyed, no
// handler runs until another thread calls exit.
#include "../crowd.h"

static unsigned seed;

static void *leaves_after_main(void *arg UNUSED)
{
	CHECK_OK(pthread_join(crowd_main, NULL));
	CHECK_EQ(crowd_record->of_key, 1);
	CHECK_EQ(crowd_record->at_exit, 0);
	usleep((useconds_t)rand() % 3000);
	exit(8);
}

static void child(void)
{
	crowd_gather(seed);
	crowd_will_leave();
	spawn(leaves_after_main, NULL);
	pthread_exit(NULL);
}

int main(void)
{
	crowd_prepare();
	for (seed = 0; seed < 4; seed++) {
		if (!is_due(seed, 4))
			continue;
		memset(crowd_record, 0, sizeof(*crowd_record));
		CHECK_EQ(in_child(child), 8 << 8);
		CHECK_EQ(crowd_record->at_exit, 1);
		CHECK(crowd_was_flushed());
	}
	crowd_end();
}
