// SPDX-License-Identifier: BSD-2-Clause
// A signal without a handler ends a process whose threads are in every state at once, whoever sends it: another
// process, the process itself, or a thread to any of the others, whatever that one does.
#include "../crowd.h"
#include <sys/resource.h>

static unsigned seed;
static int sent;

static void *waits(void *arg)
{
	if (arg)
		crowd_waits_sem(NULL);
	return crowd_computes(NULL);
}

static void gather(void)
{
	const struct rlimit none = { 0 };

	CHECK_OK(setrlimit(RLIMIT_CORE, &none));
	crowd_gather(seed);
}

static void to_itself(void)
{
	gather();
	kill(getpid(), sent);
	crowd_for_ever();
}

static void to_one_that_waits(void)
{
	gather();
	pthread_kill(spawn(waits, &seed), sent);
	crowd_for_ever();
}

static void to_one_that_computes(void)
{
	gather();
	pthread_kill(spawn(waits, NULL), sent);
	crowd_computes(NULL);
}

static void by_its_parent(void)
{
	gather();
	crowd_record->of_thread = 1;
	crowd_for_ever();
}

static int in_child_that_is_killed(void)
{
	int status;
	pid_t pid = fork_watched();

	if (pid == 0)
		by_its_parent();
	WAIT_FOR(crowd_record->of_thread == 1);
	CHECK_OK(kill(pid, sent));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

int main(void)
{
	static const int signals[] = { SIGTERM, SIGQUIT, SIGKILL };
	static void (*const ways[])(void) = { to_itself, to_one_that_waits, to_one_that_computes };

	crowd_prepare();
	for (seed = 0; seed < 12; seed++) {
		if (!is_due(seed, 12))
			continue;
		memset(crowd_record, 0, sizeof(*crowd_record));
		sent = signals[seed % 3];
		int status = seed < 9 ? in_child(ways[seed / 3]) : in_child_that_is_killed();

		CHECK(WIFSIGNALED(status));
		CHECK_EQ(WTERMSIG(status), sent);
		CHECK_EQ(crowd_record->at_exit + crowd_record->at_quick_exit, 0);
		CHECK(!crowd_was_flushed());
	}
	crowd_end();
}
