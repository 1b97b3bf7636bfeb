// SPDX-License-Identifier: BSD-2-Clause
// signal(7), "Interruption of system calls ... by stop signals": SIGSTOP and SIGCONT without handlers end no wait, but
// epoll_wait, semop, msgrcv, sigwaitinfo and sockets with a time limit "can fail with EINTR"; what is waited for is not
// lost, and a time that ends meanwhile has ended.
#include "../harness.h"
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>

enum { ROUNDS = 3, SHORT_MS = 150 };

static struct shared {
	atomic_ullong computed;
	atomic_int waiting, timed_out;
	atomic_ullong ends_at;		/* of the short waits */
	atomic_bool go_on;
} *shared;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t parked = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static sem_t post;
static int fds[2], limited[2], sems, queue;
static atomic_bool paused;

static void *computes(void *arg)
{
	shared->waiting++;
	while (!shared->go_on)
		shared->computed++;
	return arg;
}

static void *is_parked(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	shared->waiting++;
	while (!shared->go_on)
		CHECK_OK(pthread_cond_wait(&parked, &lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void *waits_for_post(void *arg)
{
	struct timespec end = in_ms(CLOCK_REALTIME, 1000 * WATCHDOG_SECONDS);

	shared->waiting++;
	CHECK_OK(arg ? sem_timedwait(&post, &end) : sem_wait(&post));
	CHECK(shared->go_on);
	return arg;
}

static void *polls(void *arg)
{
	struct pollfd p = { .fd = fds[0], .events = POLLIN };

	shared->waiting++;
	CHECK_EQ(poll(&p, 1, arg ? 1000 * WATCHDOG_SECONDS : -1), 1);
	CHECK(shared->go_on);
	return arg;
}

static void *selects(void *arg)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fds[0], &set);
	shared->waiting++;
	CHECK_EQ(select(fds[0] + 1, &set, NULL, NULL, NULL), 1);
	CHECK(shared->go_on);
	return arg;
}

static void *peeks(void *arg)
{
	char c;

	shared->waiting++;
	CHECK_EQ(recv(fds[0], &c, 1, MSG_PEEK), 1);
	CHECK(shared->go_on);
	return arg;
}

/* The rest of these may fail with EINTR; SIGCONT is no event. */
static void *waits_for_events(void *arg)
{
	struct epoll_event e = { .events = EPOLLIN };
	int epoll = epoll_create1(0), rc;

	CHECK_OK(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &e));
	shared->waiting++;
	while ((rc = epoll_wait(epoll, &e, 1, -1)) == -1)
		CHECK_EQ(errno, EINTR);
	CHECK_EQ(rc, 1);
	CHECK(shared->go_on);
	return arg;
}

static void *peeks_in_time(void *arg)
{
	struct timeval v = { .tv_sec = WATCHDOG_SECONDS };
	char c;
	long rc;

	CHECK_OK(setsockopt(limited[0], SOL_SOCKET, SO_RCVTIMEO, &v, sizeof v));
	shared->waiting++;
	while ((rc = recv(limited[0], &c, 1, 0)) == -1)
		CHECK_EQ(errno, EINTR);
	CHECK_EQ(rc, 1);
	CHECK(shared->go_on);
	return arg;
}

static void *waits_for_signal(void *arg)
{
	sigset_t s = set_of(SIGRTMIN);
	int sig;

	shared->waiting++;
	while ((sig = sigwaitinfo(&s, NULL)) == -1)
		CHECK_EQ(errno, EINTR);
	CHECK_EQ(sig, SIGRTMIN);
	CHECK(shared->go_on);
	return arg;
}

static void *downs(void *arg)
{
	struct sembuf down = { .sem_num = 0, .sem_op = -1 };

	shared->waiting++;
	while (semop(sems, &down, 1))
		CHECK_EQ(errno, EINTR);
	CHECK(shared->go_on);
	return arg;
}

static void *takes(void *arg)
{
	struct { long type; char text; } m;

	shared->waiting++;
	while (msgrcv(queue, &m, 1, 0, 0) == -1)
		CHECK_EQ(errno, EINTR);
	CHECK(shared->go_on);
	return arg;
}

/* Its time ends while the process is stopped. */
static void *waits_a_short_time(void *arg)
{
	struct timespec end = in_ms(CLOCK_REALTIME, SHORT_MS);

	CHECK_OK(pthread_mutex_lock(&lock));
	shared->waiting++;
	shared->ends_at = now_ns() + SHORT_MS * 1000000ull;
	CHECK_EQ(pthread_cond_timedwait(&never, &lock, &end), ETIMEDOUT);
	CHECK_OK(pthread_mutex_unlock(&lock));
	shared->timed_out++;
	return arg;
}

static void *sleeps_a_short_time(void *arg)
{
	struct timespec t = ms_span(SHORT_MS);
	uint64_t end = now_ns() + SHORT_MS * 1000000ull;

	shared->waiting++;
	CHECK_OK(nanosleep(&t, NULL));
	CHECK(now_ns() >= end);
	shared->timed_out++;
	return arg;
}

static void handler(int sig UNUSED)
{
}

static void *pauses(void *arg)
{
	shared->waiting++;
	CHECK_ERRNO(pause(), EINTR);
	CHECK(shared->go_on);
	paused = true;
	return arg;
}

static void *(*const bodies[])(void *) = { computes, is_parked, waits_for_post, polls, selects, peeks, waits_for_events,
	peeks_in_time, waits_for_signal, waits_a_short_time, sleeps_a_short_time, pauses, downs, takes };

enum { ALL = sizeof(bodies) / sizeof(*bodies), AFTER_PAUSES = 2 };

static int prepare(void)
{
	sems = semget(IPC_PRIVATE, 1, 0600);
	queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, limited));
	CHECK_OK(sem_init(&post, 0, 0));
	block_signal(SIGRTMIN);
	on_signal(SIGUSR1, handler, 0);
	return sems == -1 || queue == -1 ? ALL - AFTER_PAUSES : ALL;
}

static void end_waits(pthread_t pauser)
{
	struct { long type; char text; } m = { 1, 'x' };
	struct sembuf up = { .sem_num = 0, .sem_op = 1 };

	CHECK_OK(pthread_cond_broadcast(&parked));
	CHECK_OK(sem_post(&post));
	CHECK_OK(sem_post(&post));
	CHECK_EQ(send(fds[1], "x", 1, 0), 1);
	CHECK_EQ(send(limited[1], "x", 1, 0), 1);
	CHECK_OK(kill(getpid(), SIGRTMIN));
	if (sems != -1)
		CHECK_OK(semop(sems, &up, 1));
	if (queue != -1)
		CHECK_OK(msgsnd(queue, &m, 1, 0));
	while (!paused) {
		pthread_kill(pauser, SIGUSR1);
		settle();
	}
}

/* A thread of each kind, and those of waits_for_post and polls with a time, too. */
static void be_stopped(int kinds)
{
	pthread_t t[ALL + 2];

	for (int i = 0; i < kinds; i++)
		t[i] = spawn(bodies[i], NULL);
	t[kinds] = spawn(waits_for_post, &post);
	t[kinds + 1] = spawn(polls, &post);
	while (!shared->go_on)		/* it is stopped for who knows how long */
		sleep_ms(1);
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	end_waits(t[ALL - AFTER_PAUSES - 1]);
	join_many(t, kinds + 2);
	_exit(0);
}

static void stop(pid_t pid)
{
	siginfo_t info = { 0 };

	CHECK_OK(kill(pid, SIGSTOP));
	CHECK_OK(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOWAIT));
	CHECK_EQ(info.si_code, CLD_STOPPED);
	CHECK_EQ(info.si_status, SIGSTOP);
	CHECK_OK(waitid(P_PID, (id_t)pid, &info, WSTOPPED));

	unsigned long long before = shared->computed;
	int over = shared->timed_out;

	settle();
	WAIT_FOR(now_ns() > shared->ends_at);
	CHECK_EQ(shared->computed, before);
	CHECK_EQ(shared->timed_out, over);
}

static void go_on(pid_t pid)
{
	unsigned long long before = shared->computed;
	siginfo_t info = { 0 };

	CHECK_OK(kill(pid, SIGCONT));
	CHECK_OK(waitid(P_PID, (id_t)pid, &info, WCONTINUED | WEXITED));
	CHECK_EQ(info.si_code, CLD_CONTINUED);
	CHECK_EQ(info.si_status, SIGCONT);
	WAIT_FOR(shared->computed > before);
}

int main(void)
{
	int kinds = prepare(), status;

	shared = shared_memory(sizeof *shared);

	pid_t pid = fork_watched();

	if (pid == 0)
		be_stopped(kinds);
	WAIT_FOR(shared->waiting == kinds + 2);
	settle();
	for (int i = 0; i < ROUNDS; i++) {
		stop(pid);
		go_on(pid);
		settle();
	}
	WAIT_FOR(shared->timed_out == 2);
	shared->go_on = true;
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	semctl(sems, 0, IPC_RMID);
	msgctl(queue, IPC_RMID, NULL);
	CHECK_EQ(status, 0);
}
