// SPDX-License-Identifier: BSD-2-Clause
// exec in a process whose threads are in every state at once, by main, by any thread and in a handler: the process and the
// caller's mask stay, the threads, their handlers and alternate stacks are gone, and nothing is flushed or run before.
#include "../crowd.h"
#include <dirent.h>

enum { DONE = 7, STACK_BYTES = 64 << 10, DESCRIPTORS_MAX = 200 };

static int descriptors_max = DESCRIPTORS_MAX;	/* or what the program was begun with */

static unsigned long long own_mask(void)
{
	unsigned long long mask = 0;
	sigset_t set;

	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &set));
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (sigismember(&set, sig) == 1)
			mask |= 1ull << (sig - 1);
	return mask;
}

static void *executes(void *arg UNUSED)
{
	stack_t st = { .ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES };
	char pid[16], mask[32], most[16];

	crowd_will_leave();
	block_signal(SIGTERM);
	CHECK_OK(sigaltstack(&st, NULL));
	CHECK(signal(SIGHUP, SIG_IGN) != SIG_ERR);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	snprintf(mask, sizeof(mask), "%llx", own_mask());
	snprintf(most, sizeof(most), "%d", descriptors_max);
	CHECK_OK(execl("/proc/self/exe", "again", pid, mask, most, (char *)NULL));
	return NULL;
}

static void on_usr2(int sig UNUSED)
{
	executes(NULL);
}

static void *executes_in_handler(void *arg UNUSED)
{
	on_signal(SIGUSR2, on_usr2, 0);
	raise(SIGUSR2);
	return NULL;
}

/* How many there are; the last one in order. */
static int listed(const char *folder, int *ret_last)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	int n = 0;

	CHECK(dir != NULL);
	*ret_last = -1;
	while ((e = readdir(dir)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		n++;
		*ret_last = atoi(e->d_name) > *ret_last ? atoi(e->d_name) : *ret_last;
	}
	CHECK_OK(closedir(dir));
	return n;
}

static unsigned long long in_status(const char *name)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long value = 0;
	bool found = false;
	char line[4096];

	CHECK(f != NULL);
	while (!found && fgets(line, sizeof(line), f))
		found = strncmp(line, name, strlen(name)) == 0 && sscanf(line + strlen(name), ": %llx", &value) == 1;
	CHECK(found);
	CHECK_OK(fclose(f));
	return value;
}

static void check_handlers(void)
{
	struct sigaction sa;

	for (int sig = 1; sig <= SIGRTMAX; sig++) {
		if (sig == SIGALRM || sigaction(sig, NULL, &sa))	/* the harness's; libc's own */
			continue;
		CHECK(sa.sa_handler == SIG_DFL || sa.sa_handler == SIG_IGN);
		CHECK(sig != SIGHUP || sa.sa_handler == SIG_IGN);
		CHECK((sig != SIGUSR1 && sig != SIGUSR2) || sa.sa_handler == SIG_DFL);
	}
}

static void check_new_program(const char *pid, const char *mask, const char *most)
{
	unsigned long long blocked = strtoull(mask, NULL, 16);
	int last;
	stack_t st;

	CHECK_EQ(getpid(), atoi(pid));
	CHECK_EQ(listed("/proc/self/task", &last), 1);
	CHECK_EQ(last, getpid());
	CHECK(blocked & (1ull << (SIGTERM - 1)));
	CHECK_EQ(own_mask(), blocked);
	CHECK_EQ(in_status("SigBlk"), blocked);
	CHECK_EQ(in_status("SigPnd"), 0);
	CHECK_EQ(in_status("ShdPnd"), 0);
	check_handlers();
	CHECK_OK(sigaltstack(NULL, &st));
	CHECK_EQ(st.ss_flags, SS_DISABLE);
	listed("/proc/self/fd", &last);
	CHECK(last <= atoi(most));		/* none but the program's own */
	CHECK(join(spawn(nothing, &last)) == &last);
	_exit(DONE);
}

int main(int argc, char **argv)
{
	int last;

	if (argc > 1)
		check_new_program(argv[1], argv[2], argv[3]);
	listed("/proc/self/fd", &last);
	descriptors_max = last > DESCRIPTORS_MAX ? last : DESCRIPTORS_MAX;
	crowd_prepare();
	for (unsigned turn = 0; turn < 6; turn++) {
		if (!is_due(turn, 6))
			continue;
		CHECK_EQ(crowd_status(turn, turn < 4 ? executes : executes_in_handler), DONE << 8);
		CHECK_EQ(crowd_record->at_exit + crowd_record->at_quick_exit, 0);
		CHECK_EQ(crowd_record->of_thread + crowd_record->of_key, 0);
		CHECK(!crowd_was_flushed());
	}
	crowd_end();
}
