// SPDX-License-Identifier: BSD-2-Clause
// Asynchronous reads and writes complete; aio_suspend waits; SIGEV_THREAD notification may use
// locks.
#include "../harness.h"
#include <aio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int notified;

static void notify(union sigval v UNUSED)
{
	pthread_mutex_lock(&lock);
	notified++;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
}

static void *body(void *arg)
{
	char out[] = "asynchronous", in[sizeof out] = { 0 };
	struct aiocb w = { .aio_fildes = *(int *)arg, .aio_buf = out, .aio_nbytes = sizeof out };
	struct aiocb r = { .aio_fildes = *(int *)arg, .aio_buf = in, .aio_nbytes = sizeof in };
	const struct aiocb *list[1] = { &w };

	CHECK_OK(aio_write(&w));
	while (aio_error(&w) == EINPROGRESS)
		CHECK_OK(aio_suspend(list, 1, NULL));
	CHECK_EQ(aio_return(&w), (ssize_t)sizeof out);
	r.aio_sigevent.sigev_notify = SIGEV_THREAD;
	r.aio_sigevent.sigev_notify_function = notify;
	CHECK_OK(aio_read(&r));
	pthread_mutex_lock(&lock);
	while (notified == 0)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	CHECK_EQ(aio_return(&r), (ssize_t)sizeof in);
	CHECK(!strcmp(in, out));
	return NULL;
}

int main(void)
{
	const char *path = fresh_path();
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	CHECK(fd >= 0);
	CHECK_OK(unlink(path));
	join(spawn(body, &fd));
}
