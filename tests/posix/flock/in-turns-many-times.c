// SPDX-License-Identifier: BSD-2-Clause
// Threads that do nothing but wait for one another's flock stay what they are: the lock excludes, and
// name, gettid, mask, CPU time, thread-local data and signals are theirs, in whatever way they come to wait.
#define IS_LONG
#include "../harness.h"
#include <sys/file.h>

enum { THREADS = 3, ROUNDS = 1500 };

static char path[64];
static atomic_int inside, done;
static atomic_bool stop;
static _Thread_local int rounds;
static _Thread_local volatile sig_atomic_t signals;

static void note_signal(int sig UNUSED)
{
	signals++;
}

static int64_t cpu_ns(void)
{
	struct timespec t;

	CHECK_OK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t));
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Its timer wants the processor of whoever blocks. */
static void *sleeper(void *arg UNUSED)
{
	while (!stop)
		usleep(300);
	return NULL;
}

static void *body(void *arg)
{
	const struct timespec hold = { .tv_nsec = 50000 };
	int fd = open(path, O_RDWR);
	pid_t tid = gettid();
	pthread_t self = pthread_self();
	char name[16], now[16];
	sigset_t mask, seen;
	int64_t used = 0;

	CHECK(fd >= 0);
	snprintf(name, sizeof(name), "turns %d", (int)(intptr_t)arg);
	CHECK_EQ(pthread_setname_np(self, name), 0);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	CHECK_EQ(pthread_sigmask(SIG_SETMASK, &mask, NULL), 0);
	for (int i = 0; i < ROUNDS; i++) {
		int err;

		while ((err = flock(fd, LOCK_EX)) == -1 && errno == EINTR)
			;
		CHECK_EQ(err, 0);
		CHECK_EQ(inside++, 0);
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &hold, NULL);	/* no wait that the library knows */
		CHECK_EQ(--inside, 0);
		CHECK_OK(flock(fd, LOCK_UN));
		CHECK_EQ(rounds++, i);
		CHECK_EQ(gettid(), tid);
		CHECK(cpu_ns() >= used);
		used = cpu_ns();
		if (i % 50 == 0) {
			int before = signals;

			CHECK_EQ(pthread_kill(self, SIGUSR1), 0);
			CHECK_EQ(signals, before + 1);
		}
	}
	CHECK_EQ(syscall(SYS_gettid), tid);
	CHECK(pthread_equal(pthread_self(), self));
	CHECK_EQ(pthread_getname_np(self, now, sizeof(now)), 0);
	CHECK(strcmp(now, name) == 0);
	CHECK_EQ(pthread_sigmask(SIG_SETMASK, NULL, &seen), 0);
	CHECK(sigismember(&seen, SIGUSR2) == 1 && sigismember(&seen, SIGUSR1) == 0);
	CHECK_OK(close(fd));
	done++;
	return arg;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = note_signal, .sa_flags = SA_RESTART };
	pthread_t t[THREADS], s;

	strcpy(path, fresh_path());
	CHECK_OK(close(open(path, O_RDWR | O_CREAT | O_EXCL, 0600)));
	CHECK_OK(sigaction(SIGUSR1, &sa, NULL));
	s = spawn(sleeper, NULL);
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(body, (void *)(intptr_t)(i + 1));
	for (int i = 0; i < THREADS; i++)
		CHECK(join(t[i]) == (void *)(intptr_t)(i + 1));
	stop = true;
	join(s);
	CHECK_EQ(done, THREADS);
	CHECK_OK(unlink(path));
}
