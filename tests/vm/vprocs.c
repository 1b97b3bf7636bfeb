// SPDX-License-Identifier: BSD-2-Clause
/*
 * Processes are admitted, as a user's and then as root's, until there are no vprocs for the next: the user has half of
 * what there is, root the rest.  Who gets none is told of blocks all the same; and when one has ended, there are again.
 */
#include "vproc.h"

enum { VPROCS = 1024, EACH_MOST = 256, USER = 65534, MOST = 1100 };

static int answers[2];		/* pipe: what each was granted */
static pid_t children[MOST];
static unsigned nchildren;

static void hold(uid_t uid)
{
	struct abi_welcome welcome = { 0 };
	int fds[2];

	CHECK(setresuid(uid, uid, uid) == 0);
	CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
	CHECK(admit_ask(ABI_BPF | ABI_SCX, 10000, &welcome, fds) == 0);
	CHECK(fds[0] >= 0 && (fds[1] >= 0) == !!(welcome.sources & ABI_SCX));
	CHECK(write(answers[1], &welcome.sources, sizeof(welcome.sources)) == sizeof(welcome.sources));
	for (;;)
		pause();
}

/* What one more process is granted. */
static uint32_t one_more(uid_t uid)
{
	uint32_t sources;
	pid_t pid = fork();

	if (pid == 0)
		hold(uid);
	CHECK(pid > 0 && nchildren < MOST);
	children[nchildren++] = pid;
	CHECK(read(answers[0], &sources, sizeof(sources)) == sizeof(sources));
	return sources;
}

static unsigned fill(uid_t uid)
{
	unsigned n = 0;
	uint32_t sources;

	while ((sources = one_more(uid)) == (ABI_BPF | ABI_SCX))
		n++;
	CHECK(sources == ABI_BPF);
	return n;
}

static void end_child(unsigned i)
{
	CHECK(kill(children[i], SIGKILL) == 0 && waitpid(children[i], NULL, 0) == children[i]);
}

int main(void)
{
	long ncpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned all = VPROCS / (unsigned)(ncpus > EACH_MOST ? EACH_MOST : ncpus), i = 0;

	alarm(140);
	CHECK(pipe(answers) == 0);
	unsigned of_user = fill(USER), of_root = fill(0);

	CHECK(of_user == all / 2 && of_root == all - all / 2);
	end_child(0);
	while (one_more(USER) != (ABI_BPF | ABI_SCX)) {		/* that it has ended is not known at once */
		CHECK(i++ < 50);
		usleep(100000);
	}
	for (i = 1; i < nchildren; i++)
		end_child(i);
	printf("vprocs for %u processes of a user and %u of root, then for none, then for one\n", of_user, of_root);
	return 0;
}
