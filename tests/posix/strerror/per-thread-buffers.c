// SPDX-License-Identifier: BSD-2-Clause
// strerror_r, strtok_r, localtime_r and rand_r of threads do not disturb each other.
#include "../harness.h"

static void *body(void *arg)
{
	char text[64], *save, *word;
	struct tm tm;
	time_t when = (intptr_t)arg * 86400;

	for (int i = 0; i < 300; i++) {
		snprintf(text, sizeof text, "%d:%d", (int)(intptr_t)arg, i);
		word = strtok_r(text, ":", &save);
		CHECK_EQ(atoi(word), (intptr_t)arg);
		CHECK_EQ(atoi(strtok_r(NULL, ":", &save)), i);
		CHECK(gmtime_r(&when, &tm) == &tm);
		CHECK_EQ(tm.tm_yday, (intptr_t)arg);
		if (i % 50 == 0)
			sched_yield();
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	spawn_many(t, 4, body);
	join_many(t, 4);
}
