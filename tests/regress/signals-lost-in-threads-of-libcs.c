// SPDX-License-Identifier: BSD-2-Clause
/*
 * Queued signals of the process came to threads of libc's own, which call back for finished writes (SIGEV_THREAD).  One
 * that had a signal took all that were queued beside it, handled the first, and ended.
 */
#include "../posix/harness.h"
#include <aio.h>

enum { WRITERS = 8, WRITES = 150, BYTES = 100 };
#define SIGNAL (SIGRTMIN + 4)

static void handler(int sig UNUSED, siginfo_t *info, void *uc UNUSED)
{
	sem_post(info->si_value.sival_ptr);
}

static void call_back(union sigval value)
{
	sem_post(value.sival_ptr);
}

static void write_one(int fd, bool by_signal)
{
	static char bytes[BYTES];
	sem_t done;
	struct aiocb c = { .aio_fildes = fd, .aio_buf = bytes, .aio_nbytes = BYTES };

	CHECK_OK(sem_init(&done, 0, 0));
	c.aio_sigevent.sigev_value.sival_ptr = &done;
	c.aio_sigevent.sigev_notify = by_signal ? SIGEV_SIGNAL : SIGEV_THREAD;
	if (by_signal)
		c.aio_sigevent.sigev_signo = SIGNAL;
	else
		c.aio_sigevent.sigev_notify_function = call_back;
	CHECK_OK(aio_write(&c));
	while (sem_wait(&done))
		CHECK_EQ(errno, EINTR);
	while (aio_error(&c) == EINPROGRESS)
		sched_yield();
	CHECK_EQ(aio_return(&c), BYTES);
}

static void *writes(void *arg)
{
	unsigned random = (unsigned)(uintptr_t)arg;
	int fd = memfd_create("written", 0);

	CHECK(fd >= 0);
	for (int i = 0; i < WRITES; i++) {
		random = random * 1103515245 + 12345;
		write_one(fd, random >> 16 & 1);
	}
	CHECK_OK(close(fd));
	return NULL;
}

int main(void)
{
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	pthread_t t[WRITERS];

	CHECK_OK(sigaction(SIGNAL, &a, NULL));
	for (uintptr_t i = 0; i < WRITERS; i++)
		t[i] = spawn(writes, (void *)(i * 777));
	for (int i = 0; i < WRITERS; i++)
		join(t[i]);
}
