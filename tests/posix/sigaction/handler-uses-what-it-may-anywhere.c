// SPDX-License-Identifier: BSD-2-Clause
// signal-safety(7): a handler may call the async-signal-safe functions wherever its thread is. It comes again and again
// while threads are made and joined, wait, lock, allocate and fork; each call does what it says, and nothing is lost.
#include "../harness.h"

#if __GLIBC_PREREQ(2, 34)
#define SAFE_FORK _Fork		/* glibc's fork is not async-signal-safe */
#else
#define SAFE_FORK vfork
#endif

enum { RUN_MS = 1000, FORK_EACH = 50, WORKERS = 7, BIG = 300000 };

static pid_t me;
static timer_t timer;
static sem_t posted, ping, pong;
static int told[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turns = PTHREAD_COND_INITIALIZER;
static int turn;
static atomic_bool is_over, consumers_end;
static atomic_int begun, done, worked, forked, queued, got_bytes, got_posts, got_queued;
static __thread pthread_t self;
static __thread bool has_self;

static void forks(void)
{
	int status;
	pid_t pid = SAFE_FORK();

	if (pid == 0)
		_exit(17);
	CHECK(pid > 0);
	while (waitpid(pid, &status, 0) == -1)
		CHECK_EQ(errno, EINTR);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 17);
	forked++;
}

static void tells(void)
{
	struct pollfd p = { .fd = told[1], .events = POLLOUT };

	CHECK_EQ(poll(&p, 1, 0), 1);
	CHECK_EQ(write(told[1], "x", 1), 1);
	CHECK_OK(sem_post(&posted));
	if (sigqueue(me, SIGRTMIN, (union sigval){ .sival_int = 1 }) == 0)
		queued++;
	else
		CHECK_EQ(errno, EAGAIN);	/* too many at once */
}

static void asks(void)
{
	uint64_t before = now_ns();
	sigset_t usr2 = set_of(SIGUSR2), old, now;

	CHECK_EQ(getpid(), me);
	CHECK_OK(kill(getpid(), 0));
	CHECK_OK(pthread_kill(pthread_self(), 0));
	CHECK(!has_self || pthread_equal(pthread_self(), self));
	CHECK_OK(sigprocmask(SIG_BLOCK, &usr2, &old));
	CHECK(sigismember(&old, SIGUSR1) && !sigismember(&old, SIGUSR2));
	CHECK_OK(sigprocmask(SIG_SETMASK, &old, &now));
	CHECK(sigismember(&now, SIGUSR2) && sigismember(&now, SIGUSR1));
	CHECK(now_ns() >= before);
}

static void handler(int sig UNUSED)
{
	const struct itimerspec again = { ms_span(1), ms_span(1) };
	int saved = errno;

	begun++;
	if (!is_over) {
		asks();
		tells();
		CHECK_OK(timer_settime(timer, 0, &again, NULL));
		if (worked++ % FORK_EACH == 0)
			forks();
	}
	done++;
	errno = saved;
}

static void introduce(void)
{
	self = pthread_self();
	has_self = true;
}

static void *makes_threads(void *arg)
{
	introduce();
	while (!is_over)
		CHECK(join(spawn(nothing, &turn)) == &turn);
	return arg;
}

static void *takes_turns(void *arg)
{
	int mine = arg != NULL;

	introduce();
	CHECK_OK(pthread_mutex_lock(&lock));
	while (!is_over) {
		struct timespec end = in_ms(CLOCK_REALTIME, 5);
		int rc = 0;

		while (turn != mine && rc == 0)
			rc = pthread_cond_timedwait(&turns, &lock, &end);
		CHECK(rc == 0 || rc == ETIMEDOUT);
		turn = !mine;
		CHECK_OK(pthread_cond_broadcast(&turns));
	}
	CHECK_OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void down(sem_t *s)
{
	while (sem_wait(s))
		CHECK_EQ(errno, EINTR);
}

static void *serves(void *arg)
{
	introduce();
	while (!is_over) {
		down(&ping);
		CHECK_OK(sem_post(&pong));
	}
	CHECK_OK(sem_post(&pong));	/* the other one may wait for it once more */
	return arg;
}

static void *returns(void *arg)
{
	introduce();
	while (!is_over) {
		CHECK_OK(sem_post(&ping));
		down(&pong);
	}
	CHECK_OK(sem_post(&ping));
	return arg;
}

static void *allocates(void *arg)
{
	introduce();
	for (size_t i = 1; !is_over; i = i * 7 % BIG + 1) {
		char *p = malloc(i), *q = calloc(1, i);

		CHECK(p && q);
		p[i - 1] = 1;
		CHECK_EQ(q[i - 1], 0);
		free(p);
		free(q);
	}
	return arg;
}

static void *forks_children(void *arg)
{
	int status;

	introduce();
	while (!is_over) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(3);
		CHECK(pid > 0);
		while (waitpid(pid, &status, 0) == -1)
			CHECK_EQ(errno, EINTR);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	}
	return arg;
}

static void *counts_bytes(void *arg)
{
	char c;

	while (read(told[0], &c, 1) == 1 && c == 'x')
		got_bytes++;
	return arg;
}

static void *counts_posts(void *arg)
{
	for (;;) {
		down(&posted);
		if (consumers_end)
			return arg;
		got_posts++;
	}
}

static void *counts_queued(void *arg)
{
	sigset_t s = set_of(SIGRTMIN);
	siginfo_t info;

	for (;;) {
		while (sigwaitinfo(&s, &info) == -1)
			CHECK_EQ(errno, EINTR);
		if (consumers_end)
			return arg;
		CHECK_EQ(info.si_pid, me);
		got_queued += info.si_value.sival_int;
	}
}

static void end_consumers(pthread_t *consumers)
{
	consumers_end = true;
	CHECK_EQ(write(told[1], "e", 1), 1);
	CHECK_OK(sem_post(&posted));
	CHECK_OK(sigqueue(me, SIGRTMIN, (union sigval){ 0 }));
	join_many(consumers, 3);
}

static void prepare(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };

	me = getpid();
	CHECK_OK(pipe(told));
	CHECK_OK(sem_init(&posted, 0, 0));
	CHECK_OK(sem_init(&ping, 0, 0));
	CHECK_OK(sem_init(&pong, 0, 0));
	block_signal(SIGRTMIN);
	on_signal(SIGUSR1, handler, SA_RESTART);
	CHECK_OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
}

int main(void)
{
	void *(*const work[WORKERS])(void *) = { makes_threads, takes_turns, takes_turns, serves, returns, allocates,
		forks_children };
	const struct itimerspec each_ms = { ms_span(1), ms_span(1) };
	pthread_t workers[WORKERS], consumers[3];

	prepare();
	consumers[0] = spawn(counts_bytes, NULL);
	consumers[1] = spawn(counts_posts, NULL);
	consumers[2] = spawn(counts_queued, NULL);
	for (int i = 0; i < WORKERS; i++)
		workers[i] = spawn(work[i], i == 1 ? &turn : NULL);
	block_signal(SIGUSR1);		/* else main takes all that the timer sends */
	CHECK_OK(timer_settime(timer, 0, &each_ms, NULL));
	for (uint64_t i = 0, end = now_ns() + (uint64_t)share_of(RUN_MS) * 1000000; now_ns() < end; i++) {
		sleep_ms(1);
		CHECK_OK(pthread_kill(workers[i % WORKERS], SIGUSR1));
	}
	is_over = true;
	join_many(workers, WORKERS);
	WAIT_FOR(begun == done);	/* who begins from now on sees that it is over */
	CHECK_OK(timer_delete(timer));
	CHECK(worked > 0 && forked > 0);
	WAIT_FOR(got_bytes == worked && got_posts == worked && got_queued == queued);
	end_consumers(consumers);
}
