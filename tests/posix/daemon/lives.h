// SPDX-License-Identifier: BSD-2-Clause
/* What a daemon's threads do, and how it tells the test's first process, which is not its parent any more. */
#ifndef LIVES_H
#define LIVES_H

#include "../harness.h"

static int lives_report[2], lives_stderr;
static int lives_pipe[2];
static atomic_int lives_handled;

static inline void *lives_computes(void *arg)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 200000; i++)
		sum = sum + i % 7;
	CHECK(sum > 0);
	return arg;
}

static inline void *lives_sleeps(void *arg)
{
	uint64_t began = now_ns();

	sleep_ms(5);
	CHECK(now_ns() - began >= 5000000);
	return arg;
}

static inline void *lives_reads(void *arg)
{
	char c;

	for (char want = 'a'; want <= 'z'; want++) {
		CHECK_EQ(read(lives_pipe[0], &c, 1), 1);
		CHECK_EQ(c, want);
	}
	return arg;
}

static inline void *lives_writes(void *arg)
{
	for (char c = 'a'; c <= 'z'; c++) {
		CHECK_EQ(write(lives_pipe[1], &c, 1), 1);
		if (c % 8 == 0)
			sleep_ms(1);
	}
	return arg;
}

static inline void lives_note(int sig UNUSED)
{
	lives_handled++;
}

static inline void lives_leaf(void)
{
	join(spawn(lives_sleeps, NULL));
}

static inline void *lives_forks(void *arg)
{
	CHECK_EQ(in_child(lives_leaf), 0);
	return arg;
}

static inline void *lives_pauses(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* In a session of its own it may get no processor for seconds: it is its own turns that count. */
static inline void lives_await_handled(int n)
{
	for (int turns = 0; lives_handled != n && turns < PATIENCE_MS; turns++)
		sleep_ms(1);
	CHECK_EQ(lives_handled, n);
}

static inline void lives_signals(void)
{
	pthread_t t = spawn(lives_pauses, NULL);

	lives_handled = 0;
	on_signal(SIGUSR1, lives_note, 0);
	CHECK_OK(pthread_kill(t, SIGUSR1));
	lives_await_handled(1);
	CHECK_OK(kill(getpid(), SIGUSR1));
	lives_await_handled(2);
	CHECK_OK(pthread_cancel(t));
	CHECK(join(t) == PTHREAD_CANCELED);
}

static inline void lives_all(void)
{
	void *(*all[])(void *) = { lives_computes, lives_sleeps, lives_reads, lives_writes, lives_forks,
				lives_computes };
	enum { N = sizeof all / sizeof *all };
	pthread_t t[N];

	CHECK_OK(pipe(lives_pipe));
	for (int i = 0; i < N; i++)
		t[i] = spawn(all[i], NULL);
	lives_signals();
	join_many(t, N);
	close(lives_pipe[0]);
	close(lives_pipe[1]);
}

/* In the daemon, whose standard error goes nowhere. */
static inline void lives_tell(void)
{
	alarm(WATCHDOG_SECONDS);
	CHECK_EQ(dup2(lives_stderr, 2), 2);
	lives_all();
	lives_all();
	CHECK_EQ(write(lives_report[1], "lives", 5), 5);
	_exit(0);
}

static inline void lives_twice_forked(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid)
		_exit(0);
	CHECK(setsid() == getpid());
	pid = fork();
	CHECK(pid >= 0);
	if (pid)
		_exit(0);
	CHECK(getpid() != getsid(0));
}

/* In a child process that becomes a daemon in one of the ways and does as above. */
static inline void lives_as_daemon(bool by_hand)
{
	if (by_hand)
		lives_twice_forked();
	else
		CHECK_OK(daemon(0, 0));
	lives_tell();
}

/* `becomes` ends in lives_as_daemon. */
static inline void lives_test(void (*becomes)(void))
{
	char said[8] = "";
	ssize_t n, got = 0;

	lives_stderr = dup(2);
	CHECK_OK(pipe(lives_report));
	CHECK_EQ(in_child(becomes), 0);
	close(lives_report[1]);
	while ((n = read(lives_report[0], said + got, sizeof said - 1 - (size_t)got)) > 0)
		got += n;
	CHECK(!strcmp(said, "lives"));
	close(lives_report[0]);
	close(lives_stderr);
}

#endif
