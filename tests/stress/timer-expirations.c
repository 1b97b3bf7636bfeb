// SPDX-License-Identifier: BSD-2-Clause
// Periodic timers' signals are blocked, handled and waited for by threads that also fork, compute, and now and then get
// kernel threads of their own: each expiration is counted once, by whoever took its signal.
#include "stress.h"

enum { ROUNDS = 6, ROUND_MS = 400, TIMERS = 6, THREADS = 5, STEPS = 12, SLEEPS = 4, SLACK = 1 };

static struct periodic {
	int sig;
	long period_ns;
	uint64_t before, after;		/* it was started in between */
	atomic_long counted;
} timers[TIMERS];
static sigset_t all;
static unsigned steps;		/* of so many kinds, of which the first do nothing but sleep */
static atomic_bool over;

static void count(const siginfo_t *info)
{
	if (info->si_code == SI_TIMER)
		timers[info->si_value.sival_int].counted += 1 + info->si_overrun;
}

static void handler(int sig UNUSED, siginfo_t *info, void *ctx UNUSED)
{
	int saved = errno;

	count(info);
	errno = saved;
}

static void wait_for(const sigset_t *set, long ns)
{
	struct timespec limit = { .tv_nsec = ns };
	siginfo_t info;

	if (sigtimedwait(set, &info, &limit) > 0)
		count(&info);
	else
		CHECK(errno == EAGAIN || errno == EINTR);
}

static void poll_without(const sigset_t *set, long ns)
{
	struct timespec limit = { .tv_nsec = ns };
	sigset_t mask = all;

	for (int i = 0; i < TIMERS; i++)
		if (sigismember(set, timers[i].sig))
			sigdelset(&mask, timers[i].sig);
	if (ppoll(NULL, 0, &limit, &mask) == -1)
		CHECK_EQ(errno, EINTR);
}

static void unblock_for(const sigset_t *set, useconds_t us)
{
	CHECK_OK(pthread_sigmask(SIG_UNBLOCK, set, NULL));
	usleep(us);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, set, NULL));
}

static void fork_and_wait(void)
{
	pid_t child = fork();

	CHECK(child >= 0);
	if (child == 0)
		_exit(0);
	while (waitpid(child, NULL, 0) == -1)
		CHECK_EQ(errno, EINTR);
}

static void step(uint64_t *r)
{
	sigset_t one = set_of(timers[pick(r, TIMERS)].sig);

	switch (pick(r, steps)) {
	case 0: case 1: case 2:
		unblock_for(&one, (useconds_t)pick(r, 3000));
		break;
	case 3:
		unblock_for(&all, (useconds_t)pick(r, 1000));
		break;
	case 4: case 5:
		wait_for(&one, (long)pick(r, 3000000));
		break;
	case 6:
		wait_for(&all, 0);
		break;
	case 7:
		poll_without(&one, (long)pick(r, 2000000));
		break;
	case 8:
		join(spawn(nothing, NULL));
		break;
	case 9:
		if (pick(r, 20) == 0)
			fork_and_wait();
		break;
	case 10:
		if (pick(r, 4) == 0)
			syscall(SYS_set_robust_list, 0, 0);	/* refused; but it is the kernel thread's */
		break;
	default:
		dawdle(r);
	}
}

static void *body(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	while (!over)
		step(&r);
	return NULL;
}

static void start(int i, uint64_t *r)
{
	const int signals[] = { SIGUSR1, SIGUSR2, SIGIO, SIGRTMIN + 1, SIGRTMIN + 5 };
	struct periodic *p = &timers[i];
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | (pick(r, 2) ? SA_RESTART : 0) };
	timer_t t;

	p->sig = signals[pick(r, 5)];
	p->period_ns = 1000000 + (long)pick(r, 3000000);
	block_signal(p->sig);
	CHECK_OK(sigaction(p->sig, &a, NULL));
	CHECK_OK(sigaddset(&all, p->sig));
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = p->sig, .sigev_value.sival_int = i };
	struct itimerspec v = { .it_value.tv_nsec = p->period_ns, .it_interval.tv_nsec = p->period_ns };

	CHECK_OK(timer_create(CLOCK_MONOTONIC, &e, &t));
	p->before = now_ns();
	CHECK_OK(timer_settime(t, 0, &v, NULL));
	p->after = now_ns();
}

static long expirations(const struct periodic *p, uint64_t since)
{
	return (long)((now_ns() - since) / (uint64_t)p->period_ns);
}

static void one_round(void)
{
	uint64_t r = seed_for(-1);
	int n = steps == SLEEPS ? 2 : THREADS;		/* few: at times nobody admits what has come */
	pthread_t threads[THREADS];

	sigemptyset(&all);
	for (int i = 0; i < TIMERS; i++)
		start(i, &r);
	spawn_many(threads, n, body);
	for (uint64_t end = now_ns() + ROUND_MS * UINT64_C(1000000); now_ns() < end; )
		sleep_ms(10);
	over = true;
	join_many(threads, n);
	CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &all, NULL));
	for (struct periodic *p = timers; p < timers + TIMERS; p++) {
		WAIT_FOR(p->counted >= expirations(p, p->after) - SLACK);	/* they go on: what is lost stays lost */
		CHECK(p->counted <= expirations(p, p->before) + 1);
	}
}

int main(int argc, char **argv)
{
	stress_seed(argc, argv);
	for (int i = 0; i < ROUNDS; i++) {
		stress_base += (uint64_t)i;
		steps = i % 2 ? SLEEPS : STEPS;
		CHECK_OK(in_child(one_round));		/* a runtime of its own, with threads that are not bound yet */
	}
}
