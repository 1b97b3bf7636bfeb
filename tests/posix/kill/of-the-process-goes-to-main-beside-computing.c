// SPDX-License-Identifier: BSD-2-Clause
// A signal of the process that main admits is main's, whoever runs or sends it: it ends main's pause while other threads
// compute, from another process, from a thread, and from a timer.
#include "../on_main.h"
#include <sys/mman.h>
#include <sys/time.h>

enum { N = 4 };

static atomic_int here;
static pid_t main_process;

static void *computes_here(void *arg)
{
	here++;
	return computes(arg);
}

/* The same, mostly inside calls. */
static void *calls(void *arg)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	here++;
	while (!stop) {
		CHECK_OK(pthread_mutex_lock(&lock));
		CHECK_OK(pthread_mutex_unlock(&lock));
		sched_yield();
	}
	return arg;
}

/*
 * Main may not sleep yet when the first one comes: another one follows, until it has been woken.  Much later, as one
 * that comes amid main's handler is not main's.
 */
enum { SOON_MS = 20, AGAIN_MS = 3000 };
static atomic_bool *is_awake;		/* shared with the child */

static bool wakes_within(uint64_t ms)
{
	uint64_t end = now_ns() + ms * 1000000;		/* at a high load a sleep of 10 ms takes some 100 */

	while (!*is_awake && now_ns() < end)
		sleep_ms(10);
	return *is_awake;
}

static void send_until_awake(void)
{
	for (uint64_t ms = SOON_MS; !wakes_within(ms); ms = AGAIN_MS)
		CHECK_OK(kill(main_process, SIGUSR1));
}

static void *kills(void *arg)
{
	send_until_awake();
	return arg;
}

/* Sends until main's sleep has been ended by one. */
static void wait_for_one(void (*send)(void), void (*stop_sending)(void))
{
	const struct timespec long_time = { 20, 0 };
	int before = on_main;

	*is_awake = false;
	send();
	int r = nanosleep(&long_time, NULL), err = errno;

	*is_awake = true;
	CHECK_EQ(elsewhere, 0);
	CHECK(r == -1 && err == EINTR);
	CHECK(on_main > before);
	stop_sending();
	CHECK_EQ(elsewhere, 0);
}

static pid_t child;
static pthread_t killer;

static void from_outside(void)
{
	child = fork();
	if (child == 0) {
		send_until_awake();
		_exit(0);
	}
}

static void await_child(void)
{
	pid_t pid;

	while ((pid = waitpid(child, NULL, 0)) < 0 && errno == EINTR)
		;
	CHECK_EQ(pid, child);
}

static void from_a_thread(void)
{
	killer = spawn(kills, NULL);
}

static void await_thread(void)
{
	join(killer);
}

static void from_a_timer(void)
{
	const struct itimerval soon = { .it_value = { 0, SOON_MS * 1000 }, .it_interval = { AGAIN_MS / 1000, 0 } };

	CHECK_OK(setitimer(ITIMER_REAL, &soon, NULL));
}

static void stop_timer(void)
{
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	CHECK_OK(setitimer(ITIMER_REAL, &never, NULL));
}

int main(void)
{
	pthread_t t[N], u[N];

	main_thread = pthread_self();
	main_process = getpid();
	is_awake = mmap(NULL, sizeof(*is_awake), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(is_awake != MAP_FAILED);
	on_signal(SIGUSR1, handler, 0);
	on_signal(SIGALRM, handler, 0);
	spawn_many(t, N, computes_here);
	spawn_many(u, N, calls);
	WAIT_FOR(here == 2 * N);
	for (int i = 0; i < share_of(3); i++) {
		wait_for_one(from_outside, await_child);
		wait_for_one(from_a_thread, await_thread);
		wait_for_one(from_a_timer, stop_timer);
	}
	stop = true;
	join_many(t, N);
	join_many(u, N);
}
