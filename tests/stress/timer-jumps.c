// SPDX-License-Identifier: BSD-2-Clause
// A timer of 1 ms whose handler jumps out of waits, while threads allocate, come and go, are cancelled, fork and load
// a library: nothing is lost, and memory keeps its contents.
#define NO_WATCHDOG		/* SIGALRM is the test's */
#include "stress.h"
#include <dlfcn.h>
#include <poll.h>
#include <setjmp.h>
#include <sys/select.h>
#include <sys/time.h>

enum { JUMPERS = 3, JUMPS = 200, ROUNDS = 60, BLOCKS = 32 };

static atomic_int ticks, jumps, cleanups;
static atomic_bool is_over;
static int silent[2];
static sem_t none, posted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static __thread sigjmp_buf out_of_wait;
static __thread volatile sig_atomic_t may_jump;

static void on_alarm(int sig UNUSED)
{
	int err = errno;
	struct timespec t;

	/* No cancellation point: it may have interrupted malloc. */
	CHECK_OK(clock_gettime(CLOCK_REALTIME, &t));
	CHECK_OK(sem_post(&posted));
	ticks++;
	errno = err;
	if (may_jump) {
		may_jump = 0;
		siglongjmp(out_of_wait, 1);
	}
}

static struct block {
	unsigned char *p;
	size_t bytes;
} empty;

/* Frees or makes one; whatever it held must be there still. */
static void reallocate(struct block *b, uint64_t *r)
{
	unsigned char mark = (unsigned char)(b->bytes * 7);

	for (size_t i = 0; i < b->bytes; i += 1 + b->bytes / 16)
		CHECK_EQ(b->p[i], mark);
	b->bytes = pick(r, 4) ? pick(r, 2000) : pick(r, 200000);
	b->p = pick(r, 2) ? realloc(b->p, b->bytes + 1) : (free(b->p), malloc(b->bytes + 1));
	CHECK(b->p != NULL);
	memset(b->p, (unsigned char)(b->bytes * 7), b->bytes + 1);
}

static void use_memory(uint64_t *r, int times)
{
	struct block blocks[BLOCKS];

	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = empty;
	for (int i = 0; i < times; i++)
		reallocate(&blocks[pick(r, BLOCKS)], r);
	for (int i = 0; i < BLOCKS; i++)
		free(blocks[i].p);
}

/* Bound when the program starts: a jump out of the loader, which binds others at their first call, keeps its lock. */
#define NO_PLT(name) extern __typeof__(name) name __attribute__((noplt))
NO_PLT(pause);
NO_PLT(nanosleep);
NO_PLT(clock_nanosleep);
NO_PLT(poll);
NO_PLT(select);
NO_PLT(pselect);
NO_PLT(read);
NO_PLT(sigsuspend);
NO_PLT(sleep);

/* Only what a handler may jump out of: functions that are safe in handlers. */
static void wait_to_be_jumped_from(uint64_t what)
{
	struct pollfd p = { .fd = silent[0], .events = POLLIN };
	struct timespec day = { .tv_sec = 86400 };
	sigset_t mask;
	fd_set set;
	char c;

	sigemptyset(&mask);
	FD_ZERO(&set);
	FD_SET(silent[0], &set);
	switch (what) {
	case 0: pause(); break;
	case 1: nanosleep(&day, NULL); break;
	case 2: clock_nanosleep(CLOCK_MONOTONIC, 0, &day, NULL); break;
	case 3: poll(&p, 1, -1); break;
	case 4: select(silent[0] + 1, &set, NULL, NULL, NULL); break;
	case 5: pselect(silent[0] + 1, &set, NULL, NULL, NULL, &mask); break;
	case 6: (void)!read(silent[0], &c, 1); break;
	case 7: sigsuspend(&mask); break;
	default: sleep(1000);
	}
}

static void *jumps_out(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);
	uint64_t *volatile state = &r;

	while (!is_over) {
		use_memory(state, 20);
		if (sigsetjmp(out_of_wait, 1)) {
			jumps++;
			continue;
		}
		uint64_t what = pick(state, 9);

		may_jump = 1;
		wait_to_be_jumped_from(what);
		may_jump = 0;
	}
	return NULL;
}

static void *allocates(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	while (!is_over) {
		use_memory(&r, 50);
		usleep(200);		/* others have their turn soon, also on a busy machine */
	}
	return NULL;
}

static void *frees(void *p)
{
	free(p);
	return malloc(1000);
}

/* One place in memory: a forked child finds a caller that is known, and needs no lock of the loader's. */
__attribute__((noinline)) static void churn_once(size_t bytes)
{
	free(join(spawn(frees, malloc(bytes))));
}

static void *churns(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	for (int i = 0; i < 4 * ROUNDS; i++) {
		churn_once(pick(&r, 50000));
		dawdle(&r);
	}
	return NULL;
}

static void cleanup(void *p)
{
	free(p);
	cleanups++;
}

static void *is_cancelled(void *arg)
{
	char c;

	pthread_cleanup_push(cleanup, malloc(10000));
	switch ((intptr_t)arg) {
	case 0:
		for (;;)
			sem_wait(&none);
	case 1:
		for (;;)
			(void)!read(silent[0], &c, 1);
	case 2:
		for (;;)
			sleep(1000);
	default:
		pthread_mutex_lock(&mutex);
		pthread_cleanup_push((void (*)(void *))(void *)pthread_mutex_unlock, &mutex);
		for (;;)
			pthread_cond_wait(&cond, &mutex);
		pthread_cleanup_pop(1);
	}
	pthread_cleanup_pop(1);
	return NULL;
}

static void *cancels(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	for (int i = 0; i < 2 * ROUNDS; i++) {
		pthread_t t = spawn(is_cancelled, (void *)(intptr_t)pick(&r, 4));
		int before = cleanups;

		dawdle(&r);
		CHECK_OK(pthread_cancel(t));
		CHECK(join(t) == PTHREAD_CANCELED);
		CHECK(cleanups == before || cleanups == before + 1);	/* it may not have begun */
	}
	return NULL;
}

static void *forks(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	for (int i = 0; i < ROUNDS / 2; i++) {
		pid_t pid = fork();
		int status;

		CHECK(pid >= 0);
		if (pid == 0) {
			use_memory(&r, 20);
			churn_once(1000);
			_exit(i);
		}
		while (waitpid(pid, &status, 0) < 0)
			CHECK_EQ(errno, EINTR);
		CHECK_EQ(status, i << 8);
		dawdle(&r);
	}
	return NULL;
}

static void *loads(void *arg UNUSED)
{
	while (!is_over) {
		void *library = dlopen("libm.so.6", RTLD_NOW);

		CHECK(library != NULL);
		CHECK_OK(dlclose(library));
		usleep(500);
	}
	return NULL;
}

/* The timer's signals may all go to others.  Only the first is known not to be joined. */
static void signal_jumpers(const pthread_t *t)
{
	static unsigned turn;

	CHECK_OK(pthread_kill(t[is_over ? 0 : turn++ % JUMPERS], SIGALRM));
	usleep(1000);
}

int main(int argc, char **argv)
{
	static void *(*const bodies[])(void *) = {
		jumps_out, jumps_out, jumps_out, allocates, allocates, loads, churns, cancels, forks,
	};
	enum { BODIES = sizeof(bodies) / sizeof(bodies[0]), LASTING = 6 };
	const struct itimerval each_ms = { { 0, 1000 }, { 0, 1000 } };
	pthread_t t[BODIES];

	churn_once(1000);
	stress_seed(argc, argv);
	CHECK_OK(pipe(silent));
	CHECK_OK(sem_init(&none, 0, 0));
	CHECK_OK(sem_init(&posted, 0, 0));
	on_signal(SIGALRM, on_alarm, SA_RESTART);
	for (int i = 0; i < BODIES; i++)
		t[i] = spawn(bodies[i], (void *)(intptr_t)i);
	block_signal(SIGALRM);
	CHECK_OK(setitimer(ITIMER_REAL, &each_ms, NULL));
	join_many(t + LASTING, BODIES - LASTING);
	while (jumps < JUMPS)
		signal_jumpers(t);
	is_over = true;
	for (int i = 0; i < JUMPERS; i++)
		while (pthread_tryjoin_np(t[i], NULL) == EBUSY)
			signal_jumpers(t + i);
	join_many(t + JUMPERS, LASTING - JUMPERS);
	int n;

	CHECK_OK(sem_getvalue(&posted, &n));
	CHECK_EQ(n, ticks);
	CHECK(ticks >= jumps);
}
