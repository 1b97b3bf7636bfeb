// SPDX-License-Identifier: BSD-2-Clause
// What is spawned has its maker's own policy and priority, or what the attributes say, not what the maker is lent by
// those that wait for its mutex.
#include "../posix/lent.h"

#include <spawn.h>

extern char **environ;

static const char *own;		/* the policy and the priority that a child is to have, as text */

static void spawns(const posix_spawnattr_t *attr)
{
	char *argv[] = { (char *)"child", (char *)own, NULL };
	int status;
	pid_t pid;

	CHECK_OK(posix_spawn(&pid, "/proc/self/exe", NULL, attr, argv, environ));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void with_attributes(void)
{
	struct sched_param p = { .sched_priority = 7 };
	posix_spawnattr_t attr;

	CHECK_OK(posix_spawnattr_init(&attr));
	spawns(&attr);
	CHECK_OK(posix_spawnattr_setschedpolicy(&attr, SCHED_FIFO));
	CHECK_OK(posix_spawnattr_setschedparam(&attr, &p));
	CHECK_OK(posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSCHEDULER));
	own = "17";
	spawns(&attr);
	CHECK_OK(posix_spawnattr_destroy(&attr));
}

static void without(void)
{
	spawns(NULL);
}

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 3 };

	own = "00";
	while_lent(without);
	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_RR, &p));
	own = "23";
	while_lent(without);
	while_lent(with_attributes);
	return arg;
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		is_child_with(argv[1]);
		return 0;
	}
	if (sched_getscheduler(0) != SCHED_OTHER)
		skip("the process has a policy of its own");
	join(spawn(body, NULL));
}
