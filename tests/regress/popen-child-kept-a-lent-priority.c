// SPDX-License-Identifier: BSD-2-Clause
// What popen, system and vfork make, and what exec makes of a process, has its maker's own policy and priority, not what
// the maker is lent by those that wait for its mutex.  The maker is lent it on.
#include "../posix/lent.h"

static const char *own;		/* the policy and the priority that a child is to have, as text */
static char program[PATH_MAX], command[PATH_MAX + 16];

static void opens_pipe(void)
{
	FILE *f = popen(command, "r");

	CHECK(f != NULL);
	CHECK_EQ(priority_in_force(), LENT);
	CHECK_EQ(pclose(f), 0);
}

static void runs_shell(void)
{
	CHECK_EQ(system(command), 0);
	CHECK_EQ(priority_in_force(), LENT);
}

static void vforks(void)
{
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		execl(program, program, own, NULL);
		_exit(1);
	}
	CHECK(pid > 0);
	CHECK_EQ(priority_in_force(), LENT);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void execs(void)
{
	errno = 0;
	execl("/nowhere", "nowhere", NULL);
	CHECK_EQ(errno, ENOENT);
	CHECK_EQ(priority_in_force(), LENT);
	execl(program, program, own, NULL);
}

static void is_lent_and_execs(void)
{
	while_lent(execs);
}

static void makes(const char *its_own)
{
	own = its_own;
	snprintf(command, sizeof command, "%s %s", program, own);
	while_lent(opens_pipe);
	while_lent(runs_shell);
	while_lent(vforks);
	CHECK_EQ(in_child(is_lent_and_execs), 0);
}

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 3 };

	makes("00");
	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_RR, &p));
	makes("23");
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
	CHECK(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
	join(spawn(body, NULL));
}
