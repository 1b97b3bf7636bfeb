// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the kernel keeps for each thread, and one thread changes for itself: it has it over many switches, while it
 * wakes others that block in the kernel, and none of these has it, nor one that is made later by another.
 */
#ifndef APART_H
#define APART_H

#include "harness.h"

enum { APART_OTHERS = 12, APART_ROUNDS = 20, APART_CHILDREN = 4 };

enum apart_heirs { APART_FOR_ITSELF, APART_WITH_CHILDREN };	/* has a thread that it makes it, too? */

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool turn;
} apart_seat[APART_OTHERS];
static atomic_bool apart_stop;
static atomic_int apart_turns;
static void (*apart_change)(void);		/* may skip the test */
static bool (*apart_is_changed)(void);
static enum apart_heirs apart_heirs;

static void apart_wake(int i)
{
	CHECK_OK(pthread_mutex_lock(&apart_seat[i].mutex));
	apart_seat[i].turn = true;
	CHECK_OK(pthread_cond_signal(&apart_seat[i].cond));
	CHECK_OK(pthread_mutex_unlock(&apart_seat[i].mutex));
}

static void apart_await(intptr_t i)
{
	CHECK_OK(pthread_mutex_lock(&apart_seat[i].mutex));
	while (!apart_seat[i].turn)
		CHECK_OK(pthread_cond_wait(&apart_seat[i].cond, &apart_seat[i].mutex));
	apart_seat[i].turn = false;
	CHECK_OK(pthread_mutex_unlock(&apart_seat[i].mutex));
}

/* By number: a wait in the kernel that a library between it and the program need not know. */
static void apart_block(void)
{
	struct timespec some = ms_span(1);

	syscall(SYS_nanosleep, &some, NULL);
}

static void *apart_other(void *arg)
{
	while (!apart_stop) {
		apart_await((intptr_t)arg);
		CHECK(!apart_is_changed());
		apart_block();
		CHECK(!apart_is_changed());
		apart_turns++;
	}
	return arg;
}

static void *apart_child(void *arg)
{
	CHECK(apart_is_changed());
	usleep(500);
	CHECK(apart_is_changed());
	return arg;
}

static void *apart_one(void *arg)
{
	pthread_t t[APART_CHILDREN];

	apart_change();
	for (int round = 0; round < APART_ROUNDS; round++) {
		CHECK(apart_is_changed());
		for (int i = 0; i < APART_OTHERS; i++)
			apart_wake(i);
		CHECK(apart_is_changed());
		if (round % 3 == 0)
			sched_yield();
		else if (round % 3 == 1)
			usleep(500);
		else
			apart_block();
	}
	if (apart_heirs == APART_WITH_CHILDREN) {
		spawn_many(t, APART_CHILDREN, apart_child);
		join_many(t, APART_CHILDREN);
	}
	CHECK(apart_is_changed());
	return arg;
}

static void *apart_later(void *arg)
{
	CHECK(!apart_is_changed());
	return arg;
}

/* Again and again, if the test likes. */
static inline void apart_run(void (*change)(void), bool (*is_changed)(void), enum apart_heirs heirs)
{
	pthread_t t[APART_OTHERS], one;

	apart_change = change;
	apart_is_changed = is_changed;
	apart_heirs = heirs;
	apart_stop = false;
	apart_turns = 0;
	for (int i = 0; i < APART_OTHERS; i++) {
		CHECK_OK(pthread_mutex_init(&apart_seat[i].mutex, NULL));
		CHECK_OK(pthread_cond_init(&apart_seat[i].cond, NULL));
		apart_seat[i].turn = false;
	}
	CHECK(!is_changed());
	spawn_many(t, APART_OTHERS, apart_other);
	one = spawn(apart_one, NULL);
	join(one);
	WAIT_FOR(apart_turns >= APART_OTHERS);
	join(spawn(apart_later, NULL));
	apart_stop = true;
	for (int i = 0; i < APART_OTHERS; i++)
		apart_wake(i);
	join_many(t, APART_OTHERS);
	CHECK(!is_changed());
}

#endif
