// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: native-entries CASE
 * Operations of the native API whose system calls are counted by tests/cli/calls.c; prints "operations N".  In most
 * cases two threads take turns by the object that gives its name.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <upcall/upcall.h>

#include "calls.h"

enum { TURNS = 10000, HOUR_S = 3600 };

static upcall_t threads[2];
static struct upcall_mutex blocks[2][2], lock;
static struct upcall_rwlock pages[2][2];
static struct upcall_cond is_ours[2];
static struct upcall_sem sems[2], begun;
static struct upcall_barrier barrier;
static struct upcall_event events[2];
static struct upcall_latch latches[2];
static struct upcall_channel *channels[2];
static upcall_key_t key;
static unsigned turns_of[2];
static atomic_int turn, ready;

static void must(int error)
{
	if (error) {
		fprintf(stderr, "%s\n", strerror(-error));
		exit(3);
	}
}

static uint64_t in_an_hour(void)
{
	return upcall_after(HOUR_S * 1000000000ull);
}

static void *nothing(void *arg)
{
	return arg;
}

static void create(unsigned flags, void *(*body)(void *), bool is_cancelled)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t;

	attr.flags = flags;
	must(upcall_create(&t, &attr, body, NULL));
	if (is_cancelled) {
		must(upcall_sem_wait(&begun));	/* by then it sleeps, or is about to */
		must(upcall_cancel(t));
	}
	must(upcall_join(t, NULL));
}

static void by_create(int me)
{
	(void)me;
	create(0, nothing, false);
}

static void by_create_bare(int me)
{
	(void)me;
	create(UPCALL_NO_TLS, nothing, false);
}

static void *sleep_long(void *arg)
{
	must(upcall_sem_post(&begun));
	return upcall_sleep(HOUR_S * 1000000000ull) ? arg : NULL;
}

static void by_sleep(int me)
{
	(void)me;
	create(UPCALL_NO_TLS, sleep_long, true);
}

static void by_key(int me)
{
	must(upcall_key_set(key, &threads[me]));
	must(upcall_key_get(key) == &threads[me] ? 0 : -1);
}

static void by_yield(int me)
{
	(void)me;
	upcall_yield();
}

/*
 * As in bench/pingpong.c: to take a turn is to have one's own block, which the other one holds, and to let go of
 * what it waits for next.
 */
static void by_mutex(int me)
{
	struct upcall_mutex *ours = blocks[me], *theirs = blocks[!me];
	unsigned n = turns_of[me]++;

	must(upcall_mutex_lock(&ours[n % 2]));
	must(upcall_mutex_lock(&theirs[(n + (unsigned)me) % 2]));
	must(upcall_mutex_unlock(&ours[n % 2]));
	must(upcall_mutex_unlock(&theirs[(n + (unsigned)me + 1) % 2]));
}

static void by_rwlock(int me)
{
	struct upcall_rwlock *ours = pages[me], *theirs = pages[!me];
	unsigned n = turns_of[me]++;

	must(upcall_rwlock_read(&ours[n % 2]));
	must(upcall_rwlock_write(&theirs[(n + (unsigned)me) % 2]));
	must(upcall_rwlock_unlock(&ours[n % 2]));
	must(upcall_rwlock_unlock(&theirs[(n + (unsigned)me + 1) % 2]));
}

/* Before the first turn, which is 1's. */
static void prepare(int me)
{
	must(upcall_mutex_lock(&blocks[!me][0]));
	must(upcall_rwlock_write(&pages[!me][0]));
	if (me == 0) {
		must(upcall_mutex_lock(&blocks[1][1]));
		must(upcall_rwlock_write(&pages[1][1]));
	}
	atomic_fetch_add(&ready, 1);
	while (atomic_load(&ready) < 2)
		upcall_yield();
	if (me == 0) {
		must(upcall_mutex_unlock(&blocks[1][0]));
		must(upcall_rwlock_unlock(&pages[1][0]));
	}
}

static void by_cond(int me)
{
	must(upcall_mutex_lock(&lock));
	while (turn != me)
		must(upcall_cond_wait(&is_ours[me], &lock));
	turn = !me;
	upcall_cond_signal(&is_ours[!me]);
	must(upcall_mutex_unlock(&lock));
}

static void by_cond_until(int me)
{
	must(upcall_mutex_lock(&lock));
	while (turn != me)
		must(upcall_cond_wait_until(&is_ours[me], &lock, in_an_hour()));
	turn = !me;
	upcall_cond_signal(&is_ours[!me]);
	must(upcall_mutex_unlock(&lock));
}

static void by_sem(int me)
{
	must(upcall_sem_wait(&sems[me]));
	must(upcall_sem_post(&sems[!me]));
}

static void by_sem_until(int me)
{
	must(upcall_sem_wait_until(&sems[me], in_an_hour()));
	must(upcall_sem_post(&sems[!me]));
}

static void by_barrier(int me)
{
	(void)me;
	if (upcall_barrier_wait(&barrier) < 0)
		exit(3);
}

static void by_event(int me)
{
	must(upcall_event_wait(&events[me]));
	upcall_event_reset(&events[me]);
	upcall_event_set(&events[!me]);
}

static void by_latch(int me)
{
	must(upcall_latch_wait(&latches[me]));
	must(upcall_latch_init(&latches[me], 1));
	must(upcall_latch_count_down(&latches[!me], 1));
}

static void by_channel(int me)
{
	char element;

	must(upcall_channel_receive(channels[me], &element));
	must(upcall_channel_send(channels[!me], &element));
}

static void by_park(int me)
{
	while (turn != me)
		must(upcall_park());
	turn = !me;
	upcall_unpark(threads[!me]);
}

static void by_park_until(int me)
{
	while (turn != me)
		must(upcall_park_until(in_an_hour()));
	turn = !me;
	upcall_unpark(threads[!me]);
}

static const struct {
	const char *name;
	void (*once)(int me);
	bool is_alone;
} cases[] = {
	{ "create", by_create, true }, { "create-bare", by_create_bare, true }, { "sleep", by_sleep, true },
	{ "key", by_key, true }, { "yield", by_yield, false }, { "mutex", by_mutex, false }, { "rwlock", by_rwlock, false },
	{ "cond", by_cond, false }, { "cond-until", by_cond_until, false }, { "sem", by_sem, false },
	{ "sem-until", by_sem_until, false }, { "barrier", by_barrier, false }, { "event", by_event, false },
	{ "latch", by_latch, false }, { "channel", by_channel, false }, { "park", by_park, false },
	{ "park-until", by_park_until, false },
};

static void (*once)(int me);

/* What is there after a tenth of the turns, and until the last tenth, is counted. */
static void *take_turns(void *arg)
{
	int me = (int)(intptr_t)arg;

	prepare(me);
	for (int i = 0; i < TURNS; i++) {
		if (me == 0 && (i == TURNS / 10 || i == TURNS - TURNS / 10))
			prctl(CALLS_MARK, i == TURNS / 10, 0, 0, 0);
		once(me);
	}
	return NULL;
}

static void init_objects(void)
{
	static const char ball;

	for (int i = 0; i < 2; i++) {
		must(upcall_sem_init(&sems[i], i == 0));
		must(upcall_latch_init(&latches[i], i != 0));
		must(upcall_channel_create(&channels[i], 1, 1));
	}
	upcall_event_set(&events[0]);
	must(upcall_channel_send(channels[0], &ball));
	must(upcall_barrier_init(&barrier, 2));
	must(upcall_key_create(&key, NULL));
}

int main(int argc, char **argv)
{
	size_t i = 0;

	alarm(50);
	while (i < sizeof(cases) / sizeof(cases[0]) && (argc != 2 || strcmp(cases[i].name, argv[1])))
		i++;
	if (i == sizeof(cases) / sizeof(cases[0]))
		return 2;
	once = cases[i].once;
	init_objects();
	if (cases[i].is_alone)
		atomic_store(&ready, 1);
	threads[0] = upcall_self();
	if (!cases[i].is_alone)
		must(upcall_create(&threads[1], NULL, take_turns, (void *)1));
	take_turns(NULL);
	if (!cases[i].is_alone)
		must(upcall_join(threads[1], NULL));
	printf("operations %d\n", (cases[i].is_alone ? 1 : 2) * (TURNS - 2 * (TURNS / 10)));
	return 0;
}
