// SPDX-License-Identifier: BSD-2-Clause
// A signal of the process that main admits is main's, whoever runs or sends it: it ends main's pause while other threads
// compute, from another process, from a thread, and from a timer.
#include "../harness.h"
#include <sys/time.h>

enum { N = 4 };

static atomic_bool stop;
static atomic_int here;
static pthread_t main_thread;
static atomic_int on_main, elsewhere;

static void handler(int sig UNUSED)
{
	if (pthread_equal(pthread_self(), main_thread))
		on_main++;
	else
		elsewhere++;
}

static void *computes(void *arg)
{
	here++;
	while (!stop)
		;
	return arg;
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

static void *kills(void *arg)
{
	settle();
	CHECK_OK(kill(getpid(), SIGUSR1));
	return arg;
}

/* Sends one after main has gone to sleep, which that is to end. */
static void wait_for_one(void (*send)(void))
{
	const struct timespec long_time = { 20, 0 };
	int before = on_main;

	send();
	CHECK_ERRNO(nanosleep(&long_time, NULL), EINTR);
	CHECK_EQ(on_main, before + 1);
	CHECK_EQ(elsewhere, 0);
}

static void from_outside(void)
{
	if (fork() == 0) {
		sleep_ms(20);
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
}

static void from_a_thread(void)
{
	pthread_t t = spawn(kills, NULL);

	CHECK_OK(pthread_detach(t));
}

static void from_a_timer(void)
{
	const struct itimerval soon = { .it_value = { 0, 20000 } };

	CHECK_OK(setitimer(ITIMER_REAL, &soon, NULL));
}

int main(void)
{
	pthread_t t[N], u[N];

	main_thread = pthread_self();
	on_signal(SIGUSR1, handler, 0);
	on_signal(SIGALRM, handler, 0);
	spawn_many(t, N, computes);
	spawn_many(u, N, calls);
	WAIT_FOR(here == 2 * N);
	for (int i = 0; i < 3; i++) {
		wait_for_one(from_outside);
		wait_for_one(from_a_thread);
		wait_for_one(from_a_timer);
	}
	stop = true;
	join_many(t, N);
	join_many(u, N);
}
