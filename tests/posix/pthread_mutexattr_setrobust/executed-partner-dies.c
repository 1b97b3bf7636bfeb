// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_mutex_lock and pthread_cond_wait: when the process of who owns a robust mutex is ended, or the thread,
// the next one that gets the mutex is told EOWNERDEAD, whether it locked or waited for a condition; after
// pthread_mutex_consistent the others get it as ever, and without it they are told ENOTRECOVERABLE.  Owner and
// waiters are two executed programs, of which one may have nothing preloaded.
#include "../pshared/partner.h"

enum { MOST = 3 };

/* Where it is not made consistent there are two waiters: glibc, up to 2.36 at least, then wakes one and no more. */
struct scene {
	enum partner_kind owner, waiter;
	int in_cond, lockers;		/* how many wait */
	bool is_made_consistent, thread_ends;
};

static struct shared {
	pthread_mutex_t m;
	pthread_cond_t cond;
	struct scene scene;
	int in_cond, is_free;		/* guarded by the mutex */
	atomic_int held, waiting, told, others;
	atomic_bool ends;
} *s;

static void prepare(const struct scene *scene)
{
	pthread_mutexattr_t ma;
	pthread_condattr_t ca;

	memset(s, 0, sizeof *s);
	s->scene = *scene;
	CHECK_OK(pthread_mutexattr_init(&ma));
	CHECK_OK(pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutexattr_setrobust(&ma, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutex_init(&s->m, &ma));
	CHECK_OK(pthread_condattr_init(&ca));
	CHECK_OK(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_cond_init(&s->cond, &ca));
}

/* Goes on with what locking the mutex has said. */
static void got(int rc)
{
	if (rc == EOWNERDEAD) {
		CHECK_EQ(atomic_fetch_add(&s->told, 1), 0);
		if (s->scene.is_made_consistent)
			CHECK_OK(pthread_mutex_consistent(&s->m));
	} else {
		CHECK_EQ(rc, s->scene.is_made_consistent ? 0 : ENOTRECOVERABLE);
		atomic_fetch_add(&s->others, 1);
	}
	if (rc != ENOTRECOVERABLE)
		CHECK_OK(pthread_mutex_unlock(&s->m));
}

static void *waits_for_cond(void *arg)
{
	int rc = 0;

	CHECK_OK(pthread_mutex_lock(&s->m));
	s->in_cond++;
	while (rc == 0 && !s->is_free)
		rc = pthread_cond_wait(&s->cond, &s->m);
	got(rc);
	return arg;
}

static void *locks(void *arg)
{
	struct timespec limit = in_ms(CLOCK_REALTIME, WATCHDOG_SECONDS * 1000);

	CHECK_EQ(pthread_mutex_trylock(&s->m), EBUSY);
	atomic_fetch_add(&s->waiting, 1);
	got((intptr_t)arg % 2 ? pthread_mutex_timedlock(&s->m, &limit) : pthread_mutex_lock(&s->m));
	return arg;
}

static void waiters(void)
{
	pthread_t c[MOST], l[MOST];
	int in_cond = s->scene.in_cond, lockers = s->scene.lockers;

	spawn_many(c, in_cond, waits_for_cond);
	WAIT_FOR(atomic_load(&s->held));
	spawn_many(l, lockers, locks);
	join_many(l, lockers);
	join_many(c, in_cond);
	CHECK_EQ(atomic_load(&s->told), 1);
	CHECK_EQ(atomic_load(&s->others), in_cond + lockers - 1);
	CHECK_EQ(pthread_mutex_trylock(&s->m), s->scene.is_made_consistent ? 0 : ENOTRECOVERABLE);
}

static bool has_come(void)
{
	CHECK_OK(pthread_mutex_lock(&s->m));
	if (s->in_cond == s->scene.in_cond)
		return true;		/* with the mutex held */
	CHECK_OK(pthread_mutex_unlock(&s->m));
	return false;
}

static void *owns(void *arg)
{
	WAIT_FOR(has_come());
	s->is_free = 1;
	CHECK_OK(pthread_cond_broadcast(&s->cond));
	atomic_store(&s->held, 1);
	WAIT_FOR(atomic_load(&s->ends));
	return arg;
}

static void owner(void)
{
	join(spawn(owns, NULL));
	for (;;)
		pause();
}

static void show(int fd, const struct scene *scene)
{
	struct partner p = { s, "waits", fd, scene->waiter };
	pid_t waits, holds;

	prepare(scene);
	waits = start_partner(&p);
	p.role = "owns";
	p.kind = scene->owner;
	holds = start_partner(&p);
	WAIT_FOR(atomic_load(&s->held) && atomic_load(&s->waiting) == scene->lockers);
	settle();
	if (scene->thread_ends)
		atomic_store(&s->ends, true);
	else
		CHECK_OK(kill(holds, SIGKILL));
	end_partner(waits);
	CHECK_OK(kill(holds, SIGKILL));		/* it was not waited for yet */
	CHECK_EQ(waitpid(holds, NULL, 0), holds);
}

int main(int argc, char **argv)
{
	static const struct scene scenes[] = {
		{ SAME_ENVIRONMENT, SAME_ENVIRONMENT, 2, 3, true, false },
		{ NOTHING_PRELOADED, SAME_ENVIRONMENT, 2, 3, true, false },
		{ SAME_ENVIRONMENT, NOTHING_PRELOADED, 2, 3, true, false },
		{ NOTHING_PRELOADED, SAME_ENVIRONMENT, 2, 0, true, true },
		{ SAME_ENVIRONMENT, NOTHING_PRELOADED, 2, 0, true, true },
		{ NOTHING_PRELOADED, SAME_ENVIRONMENT, 1, 1, false, false },
		{ SAME_ENVIRONMENT, NOTHING_PRELOADED, 0, 2, false, true },
	};
	int fd;

	if (argc > 1) {
		s = partner_memory(argv, sizeof *s);
		(strcmp(argv[1], "waits") == 0 ? waiters : owner)();
		return 0;
	}
	fd = shared_file(sizeof *s);
	s = map_file(fd, sizeof *s);
	for (unsigned i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		show(fd, &scenes[i]);
	return 0;
}
