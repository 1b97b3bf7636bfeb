// SPDX-License-Identifier: BSD-2-Clause
// Another process writes rubbish into process-shared objects that threads use: calls for those may fail, or hang, and
// nothing else does.  Private objects go on, and so do others that are shared with a process that behaves.  (Where
// glibc itself aborts, or divides by nothing, no rubbish is written: a mutex's owner and kind, a barrier's count, what
// says that a semaphore or a barrier is shared.)
#include "stress.h"
#include <linux/futex.h>
#include <sys/prctl.h>

enum { RUN_MS = 1500, LOOK_MS = 50, EACH = 2 };

static struct area {
	struct rubbish {
		sem_t sem;
		pthread_rwlock_t rwlock;
		pthread_cond_t cond;
		pthread_barrier_t barrier;
		pthread_mutex_t mutex;
	} rubbish;
	struct {
		sem_t to, from;
		pthread_mutex_t mutex;
		pthread_cond_t cond;
		unsigned turn;		/* guarded by `mutex` */
		atomic_uint semaphores, turns;
	} good;
} *area;

static atomic_uint calls, privately;
static atomic_bool is_over;
static pthread_mutex_t private_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t private_cond = PTHREAD_COND_INITIALIZER;
static unsigned private_turn;

static struct timespec soon(uint64_t *r)
{
	return in_ms(CLOCK_REALTIME, 5 + (long)pick(r, 16));
}

/* ---- the other processes ---- */

static pid_t start(void (*what)(void))
{
	pid_t pid = fork_watched();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		what();
		_exit(0);
	}
	return pid;
}

static void write_some(uint64_t *r, void *at, size_t bytes)
{
	static const uint32_t likely[] = { 0, 1, 2, 3, 0x7fffffff, 0x80000000, UINT32_MAX };
	volatile uint32_t *word = (volatile uint32_t *)at + pick(r, bytes / 4);

	switch (pick(r, 3)) {
	case 0:
		*word = (uint32_t)next_random(r);
		break;
	case 1:
		*word = likely[pick(r, sizeof likely / sizeof likely[0])];
		break;
	default:
		*word ^= 1u << pick(r, 32);
	}
	if (pick(r, 4) == 0)
		raw_syscall(SYS_futex, (long)word, FUTEX_WAKE, INT_MAX, 0);
}

/* Of semaphores and barriers the first two words: behind them is what glibc makes a futex call of, and the count. */
static void spoil(void)
{
	struct rubbish *b = &area->rubbish;
	uint64_t r = seed_for(1000);

	for (;;) {
		for (int i = (int)pick(&r, 8); i >= 0; i--) {
			write_some(&r, &b->sem, 2 * sizeof(uint32_t));
			write_some(&r, &b->rwlock, sizeof b->rwlock);
			write_some(&r, &b->cond, sizeof b->cond);
			write_some(&r, &b->barrier, 2 * sizeof(uint32_t));
			write_some(&r, &b->mutex.__data.__lock, sizeof b->mutex.__data.__lock);
		}
		usleep((useconds_t)pick(&r, pick(&r, 8) ? 300 : 20000));
	}
}

static void answer(void)
{
	for (unsigned i = 0;; i++) {
		CHECK_OK(sem_wait(&area->good.to));
		CHECK_OK(sem_post(&area->good.from));
		CHECK_OK(pthread_mutex_lock(&area->good.mutex));
		while (area->good.turn != 2 * i + 1)
			CHECK_OK(pthread_cond_wait(&area->good.cond, &area->good.mutex));
		area->good.turn++;
		CHECK_OK(pthread_cond_broadcast(&area->good.cond));
		CHECK_OK(pthread_mutex_unlock(&area->good.mutex));
	}
}

/* ---- threads that use the rubbish ---- */

static void *uses_sem(void *arg)
{
	uint64_t r = seed_for(1 + (int)(intptr_t)arg);

	for (; !is_over; calls++) {
		struct timespec t = soon(&r);

		if (sem_timedwait(&area->rubbish.sem, &t) == 0 || pick(&r, 4) == 0)
			sem_post(&area->rubbish.sem);
		dawdle(&r);
	}
	return arg;
}

static void *uses_rwlock(void *arg)
{
	uint64_t r = seed_for(10 + (int)(intptr_t)arg);

	for (; !is_over; calls++) {
		struct timespec t = soon(&r);

		if ((pick(&r, 3) ? pthread_rwlock_timedrdlock(&area->rubbish.rwlock, &t)
				 : pthread_rwlock_timedwrlock(&area->rubbish.rwlock, &t)) == 0) {
			dawdle(&r);
			pthread_rwlock_unlock(&area->rubbish.rwlock);
		}
	}
	return arg;
}

static void *uses_cond(void *arg)
{
	pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
	uint64_t r = seed_for(20 + (int)(intptr_t)arg);

	for (; !is_over; calls++) {
		struct timespec t = soon(&r);

		CHECK_OK(pthread_mutex_lock(&mine));
		pthread_cond_timedwait(&area->rubbish.cond, &mine, &t);
		pthread_mutex_unlock(&mine);
	}
	return arg;
}

static void *signals_cond(void *arg)
{
	uint64_t r = seed_for(30 + (int)(intptr_t)arg);

	for (; !is_over; calls++) {
		if (pick(&r, 2))
			pthread_cond_signal(&area->rubbish.cond);
		else
			pthread_cond_broadcast(&area->rubbish.cond);
		usleep((useconds_t)pick(&r, 2000));
	}
	return arg;
}

static void *uses_barrier(void *arg)
{
	for (; !is_over; calls++) {
		pthread_barrier_wait(&area->rubbish.barrier);
		usleep(100);
	}
	return arg;
}

static void *uses_mutex(void *arg)
{
	uint64_t r = seed_for(40 + (int)(intptr_t)arg);

	for (; !is_over; calls++) {
		struct timespec t = soon(&r);

		if (pthread_mutex_timedlock(&area->rubbish.mutex, &t) == 0) {
			dawdle(&r);
			pthread_mutex_unlock(&area->rubbish.mutex);
		}
	}
	return arg;
}

/* ---- threads that use others ---- */

static void *takes_turns(void *arg)
{
	unsigned me = (unsigned)(intptr_t)arg;

	while (!is_over) {
		CHECK_OK(pthread_mutex_lock(&private_lock));
		while (private_turn % EACH != me)
			CHECK_OK(pthread_cond_wait(&private_cond, &private_lock));
		private_turn++;
		CHECK_OK(pthread_cond_broadcast(&private_cond));
		CHECK_OK(pthread_mutex_unlock(&private_lock));
		privately++;
		usleep(100);
	}
	return arg;
}

static void *asks(void *arg)
{
	for (unsigned i = 0; !is_over; i++) {
		CHECK_OK(sem_post(&area->good.to));
		CHECK_OK(sem_wait(&area->good.from));
		area->good.semaphores++;
		CHECK_OK(pthread_mutex_lock(&area->good.mutex));
		CHECK_EQ(area->good.turn, 2 * i);
		area->good.turn++;
		CHECK_OK(pthread_cond_broadcast(&area->good.cond));
		while (area->good.turn != 2 * i + 2)
			CHECK_OK(pthread_cond_wait(&area->good.cond, &area->good.mutex));
		CHECK_OK(pthread_mutex_unlock(&area->good.mutex));
		area->good.turns++;
		usleep(100);
	}
	return arg;
}

static void make_objects(void)
{
	pthread_mutexattr_t ma;
	pthread_condattr_t ca;
	pthread_rwlockattr_t ra;
	pthread_barrierattr_t ba;

	area = shared_memory(sizeof *area);
	CHECK_OK(pthread_mutexattr_init(&ma));
	CHECK_OK(pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutex_init(&area->rubbish.mutex, &ma));
	CHECK_OK(pthread_mutex_init(&area->good.mutex, &ma));
	CHECK_OK(pthread_condattr_init(&ca));
	CHECK_OK(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_cond_init(&area->rubbish.cond, &ca));
	CHECK_OK(pthread_cond_init(&area->good.cond, &ca));
	CHECK_OK(pthread_rwlockattr_init(&ra));
	CHECK_OK(pthread_rwlockattr_setpshared(&ra, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_rwlock_init(&area->rubbish.rwlock, &ra));
	CHECK_OK(pthread_barrierattr_init(&ba));
	CHECK_OK(pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_barrier_init(&area->rubbish.barrier, &ba, EACH));
	CHECK_OK(sem_init(&area->rubbish.sem, 1, 1));
	CHECK_OK(sem_init(&area->good.to, 1, 0));
	CHECK_OK(sem_init(&area->good.from, 1, 0));
}

int main(int argc, char **argv)
{
	static void *(*const users[])(void *) = {
		uses_sem, uses_rwlock, uses_cond, signals_cond, uses_barrier, uses_mutex,
	};
	enum { USERS = sizeof users / sizeof users[0] };
	pthread_t t[USERS][EACH], private[EACH];

	stress_seed(argc, argv);
	make_objects();
	pid_t spoils = start(spoil), answers = start(answer);

	for (unsigned i = 0; i < USERS; i++)
		spawn_many(t[i], EACH, users[i]);
	spawn_many(private, EACH, takes_turns);
	pthread_t shared = spawn(asks, NULL);
	uint64_t end = now_ns() + (uint64_t)share_of(RUN_MS) * 1000000;

	while (now_ns() < end) {
		unsigned before[] = { privately, area->good.semaphores, area->good.turns };

		sleep_ms(LOOK_MS);
		WAIT_FOR(privately > before[0]);
		WAIT_FOR(area->good.semaphores > before[1]);
		WAIT_FOR(area->good.turns > before[2]);
	}
	CHECK(calls > 0);
	is_over = true;
	join(shared);
	printf("%u calls for rubbish, %u private turns, %u shared ones\n", calls, privately, area->good.turns);
	fflush(stdout);
	CHECK_OK(kill(spoils, SIGKILL));
	CHECK_OK(kill(answers, SIGKILL));
	CHECK_EQ(waitpid(spoils, NULL, 0), spoils);
	CHECK_EQ(waitpid(answers, NULL, 0), answers);
	_exit(0);		/* those that hang in the rubbish are left there */
}
