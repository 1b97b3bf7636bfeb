// SPDX-License-Identifier: BSD-2-Clause
// A handler that ran amid an exec, before that was in the kernel, left SIGURG unblocked in the new program, though the
// old one blocked it.
#include "../posix/harness.h"
#include "../posix/exec.h"

#include <libgen.h>

static int fds[2];

static void tell(int sig UNUSED)
{
	signals_end();
	CHECK_EQ(write(fds[1], "", 1), 1);
}

static int new_program(int told)
{
	sigset_t mask;
	char c;

	CHECK_EQ(read(told, &c, 1), 1);
	CHECK_OK(sigprocmask(SIG_BLOCK, NULL, &mask));
	CHECK(sigismember(&mask, SIGURG));
	CHECK(!sigismember(&mask, SIGUSR1));
	return 0;
}

int main(int argc, char **argv)
{
	char self[PATH_MAX] = "", name[PATH_MAX];
	char told[12], *again[] = { name, told, NULL }, *none[] = { NULL };

	if (argc > 1)
		return new_program(atoi(argv[1]));
	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	strcpy(name, basename(self));
	CHECK_OK(pipe(fds));
	CHECK_OK(fcntl(fds[0], F_SETFL, O_NONBLOCK));		/* without a word the new program does not wait */
	snprintf(told, sizeof(told), "%d", fds[0]);
	on_signal(SIGUSR1, tell, SA_RESTART);
	block_signal(SIGURG);
	join(spawn(nothing, NULL));
	search_long(dirname(self));
	signals_begin(SIGUSR1);
	execvpe(name, again, none);
	CHECK(!"the program was not found");
}
