// SPDX-License-Identifier: BSD-2-Clause
// A handler of SIGURG ends a call that waits, if its action does not say SA_RESTART, as one of any other signal does.
#include "../posix/harness.h"
#include <sys/file.h>

enum call { WAITS, READS, LOCKS, OPENS, ACCEPTS, CALLS };

static enum call call;
static atomic_int runs, done, tries;
static int pipe_ends[2], listener, locked;
static pid_t child;
static char path[64];

static void handles(int sig)
{
	(void)sig;
	runs++;
}

static int wait_once(void)
{
	char byte;

	switch (call) {
	case WAITS:
		return waitpid(child, NULL, 0);
	case READS:
		return (int)read(pipe_ends[0], &byte, 1);
	case LOCKS:
		return flock(locked, LOCK_EX);
	case OPENS:
		return open(path, O_RDONLY | O_CLOEXEC);
	default:
		return accept(listener, NULL, NULL);
	}
}

static void *waits(void *arg)
{
	(void)arg;
	tries = 1;
	errno = 0;
	CHECK(wait_once() == -1);
	CHECK(errno == EINTR);
	CHECK(runs >= 1);
	done = 1;
	return NULL;
}

static void check(int sig)
{
	struct sigaction act = { .sa_handler = handles };
	pthread_t t;

	CHECK(sigaction(sig, &act, NULL) == 0);
	runs = done = tries = 0;
	CHECK_OK(pthread_create(&t, NULL, waits, NULL));
	while (!tries)
		usleep(1000);
	usleep(10000);
	while (!done) {			/* the first may have come before the call */
		CHECK_OK(pthread_kill(t, sig));
		usleep(10000);
	}
	CHECK_OK(pthread_join(t, NULL));
}

int main(void)
{
	char file[] = "/tmp/urg-file-XXXXXX";

	CHECK(pipe(pipe_ends) == 0);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un { sa_family_t family; char name[108]; } address = { AF_UNIX, "" };
	CHECK(bind(listener, (struct sockaddr *)&address, sizeof(address.family)) == 0);
	CHECK(listen(listener, 1) == 0);
	locked = mkstemp(file);
	int other = open(file, O_RDWR | O_CLOEXEC);
	CHECK(locked >= 0 && other >= 0);
	CHECK(unlink(file) == 0);
	CHECK(flock(other, LOCK_EX) == 0);
	snprintf(path, sizeof(path), "/tmp/urg-fifo-%d", (int)getpid());
	CHECK(mkfifo(path, 0600) == 0);
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	for (call = 0; call < CALLS; call++) {
		check(SIGUSR1);
		check(SIGURG);
	}
	CHECK(unlink(path) == 0);
	CHECK(kill(child, SIGKILL) == 0);
	CHECK(waitpid(child, NULL, 0) == child);
	return 0;
}
