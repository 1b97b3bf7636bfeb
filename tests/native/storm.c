// SPDX-License-Identifier: BSD-2-Clause
/*
 * Everything at once, by seed (SEED in the environment, else a fixed one): thousands of threads lock,
 * wait with and without deadlines, send, receive, make threads and cancel each other, and check what
 * each object promises.  A cancellation may end any wait; nobody stops for it.
 */
#include <stdatomic.h>

#include "check.h"

enum {
	THREADS = 3000, ROUNDS = 40, LOCKS = 8, POOLS = 4, POOL_TOKENS = 20, SEMS = 4, PERMITS = 5,
	CHANNELS = 4, CAPACITY = 16, VICTIMS = 64,
};

static uint64_t seed;
static upcall_key_t key;
static atomic_long values_set, values_destroyed, children, children_ended;

static struct lock {
	struct upcall_mutex mutex;
	long first, second;
	atomic_long wanted;
} locks[LOCKS];

static struct pool {
	struct upcall_mutex mutex;
	struct upcall_cond more;
	long tokens, lent;
} pools[POOLS];

static struct {
	struct upcall_sem sem;
	atomic_long inside;
} sems[SEMS];

static struct {
	struct upcall_rwlock lock;
	long first, second;
	atomic_long readers, wanted;
} shared;

static struct {
	struct upcall_channel *channel;
	atomic_ulong sent, received;
} channels[CHANNELS];

/* Threads that may be cancelled: each is in here while its handle is good. */
static struct {
	struct upcall_mutex mutex;
	upcall_t thread;
} victims[VICTIMS];

static uint64_t next_random(uint64_t *r)
{
	*r ^= *r << 13;
	*r ^= *r >> 7;
	*r ^= *r << 17;
	return *r * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t below(uint64_t *r, uint64_t n)
{
	return (next_random(r) >> 32) % n;
}

static uint64_t some_deadline(uint64_t *r)
{
	return below(r, 2) ? UPCALL_NEVER : upcall_after(below(r, 200000));
}

/* What a wait may return: true if it got what it waited for. */
static bool got(int result, uint64_t deadline_ns)
{
	CHECK(result == 0 || result == -ECANCELED || (result == -ETIMEDOUT && deadline_ns != UPCALL_NEVER));
	return result == 0;
}

static void lock_one(uint64_t *r)
{
	struct lock *l = &locks[below(r, LOCKS)];
	uint64_t deadline = some_deadline(r);
	int how = (int)below(r, 4), err = how ? upcall_mutex_lock_until(&l->mutex, deadline) :
						upcall_mutex_trylock(&l->mutex);

	if (err == -EBUSY && !how)
		return;
	if (!got(err, deadline))
		return;
	atomic_fetch_add(&l->wanted, 1);
	l->first++;
	if (below(r, 32) == 0)
		upcall_yield();
	l->second++;
	CHECK(l->first == l->second);
	CHECK_IS(upcall_mutex_unlock(&l->mutex), 0);
}

/* Borrows tokens, and gives them back to whichever pool. */
static void borrow(uint64_t *r)
{
	struct pool *from = &pools[below(r, POOLS)];
	long n = 1 + (long)below(r, 5);
	uint64_t deadline = upcall_after(below(r, 500000));
	int err = 0;

	CHECK_IS(upcall_mutex_lock(&from->mutex), 0);
	while (from->tokens < n && got(err = upcall_cond_wait_until(&from->more, &from->mutex, deadline), deadline))
		;
	bool has = from->tokens >= n;

	if (has) {
		from->tokens -= n;
		from->lent += n;
	}
	CHECK(from->tokens >= 0 && from->tokens + from->lent == POOL_TOKENS);
	CHECK_IS(upcall_mutex_unlock(&from->mutex), 0);
	if (!has)
		return;
	if (below(r, 4) == 0)
		upcall_sleep(below(r, 20000));
	CHECK_IS(upcall_mutex_lock(&from->mutex), 0);
	from->tokens += n;
	from->lent -= n;
	if (n == 1)
		upcall_cond_signal(&from->more);
	else
		upcall_cond_broadcast(&from->more);
	CHECK_IS(upcall_mutex_unlock(&from->mutex), 0);
}

static void enter(uint64_t *r)
{
	uint64_t i = below(r, SEMS), deadline = some_deadline(r);
	int err = below(r, 4) ? upcall_sem_wait_until(&sems[i].sem, deadline) : upcall_sem_trywait(&sems[i].sem);

	if (err == -EAGAIN || !got(err, deadline))
		return;
	CHECK(atomic_fetch_add(&sems[i].inside, 1) < PERMITS);
	if (below(r, 16) == 0)
		upcall_yield();
	atomic_fetch_sub(&sems[i].inside, 1);
	CHECK_IS(upcall_sem_post(&sems[i].sem), 0);
}

static void write_shared(uint64_t deadline)
{
	if (!got(upcall_rwlock_write_until(&shared.lock, deadline), deadline))
		return;
	atomic_fetch_add(&shared.wanted, 1);
	CHECK_IS(atomic_load(&shared.readers), 0);
	shared.first++;
	upcall_yield();
	shared.second++;
	CHECK_IS(upcall_rwlock_unlock(&shared.lock), 0);
}

static void read_shared(uint64_t deadline)
{
	if (!got(upcall_rwlock_read_until(&shared.lock, deadline), deadline))
		return;
	atomic_fetch_add(&shared.readers, 1);
	CHECK(shared.first == shared.second);
	atomic_fetch_sub(&shared.readers, 1);
	CHECK_IS(upcall_rwlock_unlock(&shared.lock), 0);
}

static void share(uint64_t *r)
{
	if (below(r, 8))
		read_shared(some_deadline(r));
	else
		write_shared(some_deadline(r));
}

/* With deadlines only: all may be senders. */
static void send_or_receive(uint64_t *r)
{
	uint64_t i = below(r, CHANNELS), deadline = upcall_after(below(r, 300000));
	unsigned long value = 1 + below(r, 1000);

	if (below(r, 2)) {
		if (got(upcall_channel_send_until(channels[i].channel, &value, deadline), deadline))
			atomic_fetch_add(&channels[i].sent, value);
	} else {
		if (got(upcall_channel_receive_until(channels[i].channel, &value, deadline), deadline))
			atomic_fetch_add(&channels[i].received, value);
	}
}

static void *count_down(void *arg)
{
	atomic_fetch_add(&children_ended, 1);
	CHECK_IS(upcall_latch_count_down(arg, 1), 0);
	return NULL;
}

static void *park_until_told(void *arg)
{
	atomic_bool *is_told = arg;

	while (!atomic_load(is_told))
		got(upcall_park_until(upcall_after(MS)), 0);
	atomic_fetch_add(&children_ended, 1);
	return arg;
}

static void *sleep_until_cancelled(void *arg)
{
	CHECK_IS(upcall_sleep(3600 * 1000 * MS), -ECANCELED);
	CHECK(upcall_is_cancelled());
	atomic_fetch_add(&children_ended, 1);
	return arg;
}

/* A cancellation of ours may end the join. */
static void join_surely(upcall_t t, void *wanted)
{
	void *value;
	int err;

	while ((err = upcall_join_until(t, &value, upcall_after(MS))) != 0)
		CHECK(err == -ECANCELED || err == -ETIMEDOUT);
	CHECK(value == wanted);
}

static void have_children(uint64_t *r)
{
	struct upcall_latch latch;
	upcall_t child[4];
	unsigned n = 1 + (unsigned)below(r, 4);

	CHECK_IS(upcall_latch_init(&latch, n), 0);
	atomic_fetch_add(&children, n);
	for (unsigned i = 0; i < n; i++)
		child[i] = spawn(count_down, &latch);
	while (!got(upcall_latch_wait(&latch), UPCALL_NEVER))
		;
	for (unsigned i = 0; i < n; i++)
		join_surely(child[i], NULL);
}

static void have_a_child(uint64_t *r)
{
	atomic_bool is_told = false;
	bool is_cancelled = below(r, 2);
	upcall_t child = spawn(is_cancelled ? sleep_until_cancelled : park_until_told, &is_told);

	atomic_fetch_add(&children, 1);
	if (below(r, 2))
		upcall_yield();
	atomic_store(&is_told, true);
	if (is_cancelled)
		CHECK_IS(upcall_cancel(child), 0);
	else
		upcall_unpark(child);
	join_surely(child, &is_told);
}

static void cancel_somebody(uint64_t *r)
{
	uint64_t i = below(r, VICTIMS);

	CHECK_IS(upcall_mutex_lock(&victims[i].mutex), 0);
	if (victims[i].thread)
		CHECK_IS(upcall_cancel(victims[i].thread), 0);
	CHECK_IS(upcall_mutex_unlock(&victims[i].mutex), 0);
}

static void rest(uint64_t *r)
{
	got(upcall_sleep(below(r, 300000)), UPCALL_NEVER);
}

static void (*const acts[])(uint64_t *) = {
	lock_one, lock_one, lock_one, borrow, borrow, enter, enter, share, share, send_or_receive, send_or_receive,
	have_children, have_a_child, cancel_somebody, rest,
};

static void be_a_victim(long me, upcall_t thread)
{
	if (me >= VICTIMS)
		return;
	CHECK_IS(upcall_mutex_lock(&victims[me].mutex), 0);
	victims[me].thread = thread;
	CHECK_IS(upcall_mutex_unlock(&victims[me].mutex), 0);
}

static void *live(void *arg)
{
	uint64_t r = (seed + (uint64_t)(long)arg) * UINT64_C(0x9e3779b97f4a7c15) | 1, own = r;

	CHECK_IS(upcall_key_set(key, &own), 0);
	atomic_fetch_add(&values_set, 1);
	be_a_victim((long)arg, upcall_self());
	for (int i = 0; i < ROUNDS; i++) {
		acts[below(&r, sizeof(acts) / sizeof(*acts))](&r);
		CHECK(upcall_key_get(key) == &own);
	}
	be_a_victim((long)arg, NULL);
	return arg;
}

static void count_destroyed(void *value)
{
	CHECK(value);
	atomic_fetch_add(&values_destroyed, 1);
}

static void prepare(void)
{
	const char *s = getenv("SEED");

	seed = s ? strtoull(s, NULL, 0) : 20261122;
	dprintf(1, "seed %llu\n", (unsigned long long)seed);
	CHECK_IS(upcall_key_create(&key, count_destroyed), 0);
	for (int i = 0; i < LOCKS; i++)
		CHECK_IS(upcall_mutex_init(&locks[i].mutex, (enum upcall_mutex_kind)(i % 3)), 0);
	for (int i = 0; i < POOLS; i++)
		pools[i].tokens = POOL_TOKENS;
	for (int i = 0; i < SEMS; i++)
		CHECK_IS(upcall_sem_init(&sems[i].sem, PERMITS), 0);
	for (int i = 0; i < CHANNELS; i++)
		CHECK_IS(upcall_channel_create(&channels[i].channel, CAPACITY, sizeof(unsigned long)), 0);
}

static void check_all(void)
{
	unsigned long left;

	CHECK_IS(atomic_load(&children_ended), atomic_load(&children));
	CHECK_IS(atomic_load(&values_set), THREADS);
	CHECK_IS(atomic_load(&values_destroyed), THREADS);
	for (int i = 0; i < LOCKS; i++) {
		CHECK_IS(locks[i].first, atomic_load(&locks[i].wanted));
		CHECK_IS(upcall_mutex_trylock(&locks[i].mutex), 0);
	}
	for (int i = 0; i < POOLS; i++)
		CHECK(pools[i].tokens == POOL_TOKENS && pools[i].lent == 0);
	for (int i = 0; i < SEMS; i++)
		CHECK_IS(upcall_sem_value(&sems[i].sem), PERMITS);
	CHECK_IS(shared.first, atomic_load(&shared.wanted));
	CHECK_IS(upcall_rwlock_trywrite(&shared.lock), 0);
	for (int i = 0; i < CHANNELS; i++) {
		while (upcall_channel_tryreceive(channels[i].channel, &left) == 0)
			atomic_fetch_add(&channels[i].received, left);
		CHECK_IS(atomic_load(&channels[i].received), atomic_load(&channels[i].sent));
		upcall_channel_destroy(channels[i].channel);
	}
}

static void test(void)
{
	static upcall_t thread[THREADS];

	prepare();
	for (long i = 0; i < THREADS; i++)
		thread[i] = spawn(live, (void *)i);
	for (long i = 0; i < THREADS; i++)
		CHECK(join(thread[i]) == (void *)i);
	check_all();
}
