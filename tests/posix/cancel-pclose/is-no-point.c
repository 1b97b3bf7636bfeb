// SPDX-License-Identifier: BSD-2-Clause
// pclose may be a cancellation point (POSIX, 2.9.5.2); glibc's is none: it waits for the command and says how that ended,
// and the request is acted on later.
#include "../harness.h"

static atomic_bool entered, returned;

static void *body(void *arg)
{
	FILE *f = popen("read line", "w");

	CHECK(f != NULL);
	entered = true;
	if (arg)
		CHECK_OK(pthread_cancel(pthread_self()));
	CHECK_EQ(pclose(f), 1 << 8);	/* read met the end */
	returned = true;
	pthread_testcancel();
	return NULL;
}

/* One that goes on until it is told to end. */
static void *waits(void *arg)
{
	FILE *f = popen("read line < $FIFO; exit 3", "r");

	CHECK(f != NULL);
	entered = true;
	CHECK_EQ(pclose(f), 3 << 8);
	returned = true;
	pthread_testcancel();
	return arg;
}

int main(void)
{
	const char *fifo = fresh_path();
	pthread_t t = spawn(body, "pending");
	int fd;

	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(returned);
	CHECK_OK(mkfifo(fifo, 0600));
	CHECK_OK(setenv("FIFO", fifo, 1));
	returned = entered = false;
	t = spawn(waits, NULL);
	WAIT_FOR(entered);
	settle();
	CHECK_OK(pthread_cancel(t));
	settle();
	CHECK(!returned);
	fd = open(fifo, O_WRONLY);
	CHECK(fd >= 0);
	CHECK_OK(close(fd));
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(returned);
	CHECK_ERRNO(waitpid(-1, NULL, WNOHANG), ECHILD);
	CHECK_OK(unlink(fifo));
}
