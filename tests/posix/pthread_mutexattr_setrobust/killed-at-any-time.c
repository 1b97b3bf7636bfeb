// SPDX-License-Identifier: BSD-2-Clause
// POSIX, pthread_mutex_lock: where the process that owns a robust mutex ends, the next one who locks it is told
// EOWNERDEAD.  Processes are killed at any time while their threads lock and unlock several: threads of another
// process, which wait, try and wait for a time, get each mutex, and half done data only with EOWNERDEAD.
#include "../robust.h"

enum { ACCOUNTS = 3, THREADS = 3, ROUNDS = 150, ROUNDS_MS = 2500 };

struct account {
	pthread_mutex_t m;
	volatile unsigned left, right;
};

struct shared {
	struct account all[ACCOUNTS];
	atomic_uint turns;
};

static struct shared *s;
static atomic_bool is_over;

static unsigned random_of(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33);
}

static void make_accounts(void)
{
	static const int types[ACCOUNTS] = {
		PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
	};

	s = shared_memory(sizeof *s);
	for (int i = 0; i < ACCOUNTS; i++)
		robust_init(&s->all[i].m, types[i], PTHREAD_PRIO_NONE);
}

/* In one of the ways that there are; a time that is over, and a mutex that another has, are no failures. */
static int take(pthread_mutex_t *m, unsigned way)
{
	struct timespec soon = in_ms(way % 4 == 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC, 1);

	switch (way % 4) {
	case 0:
		return pthread_mutex_trylock(m);
	case 1:
		return pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &soon);
	case 2:
		return pthread_mutex_timedlock(m, &soon);
	default:
		return pthread_mutex_lock(m);
	}
}

static void use(struct account *at, int rc)
{
	if (rc == EBUSY || rc == ETIMEDOUT)
		return;
	if (rc == EOWNERDEAD) {
		at->right = at->left;
		CHECK_OK(pthread_mutex_consistent(&at->m));
	} else {
		CHECK_EQ(rc, 0);
	}
	CHECK_EQ(at->left, at->right);
	at->left = at->left + 1;
	if (at->left % 8 == 0)
		sched_yield();
	at->right = at->right + 1;
	CHECK_OK(pthread_mutex_unlock(&at->m));
}

static void *works(void *arg)
{
	uint64_t seed = (uint64_t)getpid() << 8 | (uintptr_t)arg;

	while (!is_over) {
		struct account *at = &s->all[random_of(&seed) % ACCOUNTS];

		use(at, take(&at->m, random_of(&seed)));
		s->turns++;
	}
	return NULL;
}

/*
 * Waits, and looks again: who was woken, and is killed before it has set the bit that says that others wait, has taken
 * the wake with it if the next one came in between, in libc too.
 */
static int wait_for(pthread_mutex_t *m)
{
	struct timespec soon;
	int rc;

	do {
		soon = in_ms(CLOCK_MONOTONIC, 200);
		rc = pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &soon);
	} while (rc == ETIMEDOUT);
	return rc;
}

/* Of the process that stays: it leaves the processors to the others now and then. */
static void *survives(void *arg)
{
	bool waits = arg != NULL;

	for (unsigned turn = 0; !is_over; turn++) {
		struct account *at = &s->all[turn % ACCOUNTS];

		use(at, waits ? wait_for(&at->m) : pthread_mutex_trylock(&at->m));
		usleep(waits ? 100 : 50);
	}
	return NULL;
}

static void kill_one(unsigned delay_us)
{
	pthread_t t[THREADS];
	pid_t pid;
	int status;

	s->turns = 0;
	pid = fork_watched();
	if (pid == 0) {
		spawn_many(t, THREADS, works);
		join_many(t, THREADS);
	}
	for (uint64_t end = now_ns() + 200000000; !s->turns && now_ns() < end;)
		usleep(100);
	usleep(delay_us);
	CHECK_OK(kill(pid, SIGKILL));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	for (int i = 0; i < ACCOUNTS; i++)
		use(&s->all[i], pthread_mutex_lock(&s->all[i].m));
}

static void kill_some(int rounds, uint64_t ms)
{
	uint64_t seed = (uint64_t)getpid(), end = now_ns() + ms * 1000000;

	for (int i = 0; i < rounds && now_ns() < end; i++)
		if (is_due((unsigned)i, 4))
			kill_one(random_of(&seed) % 1500);
}

int main(void)
{
	pthread_t waits, tries;

	make_accounts();
	kill_some(ROUNDS / 5, ROUNDS_MS / 5);		/* by a process that never had another thread */
	tries = spawn(survives, NULL);
	waits = spawn(survives, s);
	kill_some(ROUNDS, ROUNDS_MS);
	is_over = true;
	join(waits);
	join(tries);
	for (int i = 0; i < ACCOUNTS; i++)
		CHECK_OK(pthread_mutex_destroy(&s->all[i].m));
}
