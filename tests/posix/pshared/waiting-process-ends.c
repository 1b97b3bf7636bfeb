// SPDX-License-Identifier: BSD-2-Clause
// Threads that wait for a process-shared mutex or semaphore (POSIX, pthread_mutex_unlock, sem_post: one of the threads
// that wait goes on) end with their process, which is killed or executes a program: what is unlocked and posted
// later goes to those that still wait, in the process itself, in others, and in the program that was executed.
#include "partner.h"

enum { THREADS = 4 };

static struct shared {
	pthread_mutex_t m;
	sem_t sem;
	atomic_int waiting, locked, taken;
	atomic_bool executes;
} *s;

static void prepare(void)
{
	pthread_mutexattr_t a;

	memset(s, 0, sizeof *s);
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutex_init(&s->m, &a));
	CHECK_OK(sem_init(&s->sem, 1, 0));
}

static void *waits(void *arg)
{
	struct timespec limit = in_ms(CLOCK_REALTIME, WATCHDOG_SECONDS * 1000);
	intptr_t i = (intptr_t)arg;

	atomic_fetch_add(&s->waiting, 1);
	if (i % 2) {
		CHECK_OK(i / 2 ? pthread_mutex_lock(&s->m) : pthread_mutex_timedlock(&s->m, &limit));
		atomic_fetch_add(&s->locked, 1);
		CHECK_OK(pthread_mutex_unlock(&s->m));
	} else {
		CHECK_OK(i / 2 ? sem_wait(&s->sem) : sem_timedwait(&s->sem, &limit));
		atomic_fetch_add(&s->taken, 1);
	}
	return NULL;
}

static void waits_till_the_end(void)
{
	pthread_t t[THREADS];

	spawn_many(t, THREADS, waits);
	join_many(t, THREADS);
}

/* Waits until it is killed, or executes the program once more, which then waits. */
static void ends(char **argv)
{
	pthread_t t[THREADS];

	spawn_many(t, THREADS, waits);
	WAIT_FOR(atomic_load(&s->executes));
	execl("/proc/self/exe", argv[0], "waits", argv[2], argv[3], (char *)NULL);
	CHECK(false);
}

/* The partner `ends` has ended its waits, and `n` threads wait that are to go on. */
static void set_free(int n)
{
	settle();
	CHECK_EQ(atomic_load(&s->locked) + atomic_load(&s->taken), 0);
	CHECK_OK(pthread_mutex_unlock(&s->m));
	WAIT_FOR(atomic_load(&s->locked) == n / 2);
	for (int i = 1; i <= n / 2; i++) {
		CHECK_OK(sem_post(&s->sem));
		WAIT_FOR(atomic_load(&s->taken) == i);
	}
}

static void test(struct partner p, bool executes)
{
	pid_t waiting, ending;
	pthread_t t[THREADS];

	prepare();
	CHECK_OK(pthread_mutex_lock(&s->m));
	p.role = "ends";
	ending = start_partner(&p);
	WAIT_FOR(atomic_load(&s->waiting) == THREADS);		/* these come first */
	settle();
	p.role = "waits";
	p.kind = NOTHING_PRELOADED;
	waiting = start_partner(&p);
	spawn_many(t, THREADS, waits);
	WAIT_FOR(atomic_load(&s->waiting) == 3 * THREADS);
	settle();
	if (executes) {
		atomic_store(&s->executes, true);
		WAIT_FOR(atomic_load(&s->waiting) == 4 * THREADS);
		set_free(3 * THREADS);
		end_partner(ending);
	} else {
		CHECK_OK(kill(ending, SIGKILL));
		CHECK_EQ(waitpid(ending, NULL, 0), ending);
		set_free(2 * THREADS);
	}
	join_many(t, THREADS);
	end_partner(waiting);
}

int main(int argc, char **argv)
{
	struct partner p = { .kind = SAME_ENVIRONMENT };

	if (argc > 1) {
		s = partner_memory(argv, sizeof *s);
		if (strcmp(argv[1], "ends") == 0)
			ends(argv);
		else
			waits_till_the_end();
		return 0;
	}
	p.fd = shared_file(sizeof *s);
	p.here = s = map_file(p.fd, sizeof *s);
	test(p, false);
	test(p, true);
	return 0;
}
