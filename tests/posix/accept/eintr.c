// SPDX-License-Identifier: BSD-2-Clause
// accept, connect-less recv, flock and waitpid fail with EINTR after a handler without SA_RESTART.
#include "../harness.h"
#include <sys/file.h>

static int s, pair[2], held;
static pid_t pid;
static char path[64];
static atomic_int over;

static void handler(int sig UNUSED)
{
}

static void *body(void *arg UNUSED)
{
	int fd = open(path, O_RDWR), status;
	char c;

	CHECK_ERRNO(accept(s, NULL, NULL), EINTR);
	over = 1;
	CHECK_ERRNO(recv(pair[0], &c, 1, 0), EINTR);
	over = 2;
	CHECK_ERRNO(flock(fd, LOCK_EX), EINTR);
	over = 3;
	CHECK_ERRNO(waitpid(pid, &status, 0), EINTR);
	over = 4;
	return NULL;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, 0);
	strcpy(path, fresh_path());
	held = open(path, O_RDWR | O_CREAT, 0600);
	CHECK_OK(flock(held, LOCK_EX));
	s = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK_OK(bind(s, &(struct sockaddr){ .sa_family = AF_UNIX }, sizeof(sa_family_t)));
	CHECK_OK(listen(s, 4));
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pid = fork_watched();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	t = spawn(body, NULL);
	while (over < 4) {
		settle();
		if (over < 4)
			CHECK_OK(pthread_kill(t, SIGUSR1));
	}
	join(t);
	CHECK_OK(kill(pid, SIGKILL));
	CHECK_OK(unlink(path));
}
