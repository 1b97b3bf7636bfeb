// SPDX-License-Identifier: BSD-2-Clause
/*
 * A race of teams: an event starts it, a barrier holds each team together lap after lap, a latch says
 * that all have arrived.  One walks in the wrong direction, and is called back when its time is up.
 */
#include <errno.h>
#include <stdio.h>
#include <upcall/upcall.h>

enum { TEAMS = 4, RUNNERS = 8, LAPS = 100 };

static struct upcall_event gun;
static struct upcall_barrier team_barrier[TEAMS];
static struct upcall_latch finish;
static int laps[TEAMS];

static void *run(void *arg)
{
	int team = (int)(long)arg;

	upcall_event_wait(&gun);
	for (int lap = 0; lap < LAPS; lap++)
		if (upcall_barrier_wait(&team_barrier[team]) == 1)	/* the last one of the lap says so */
			__atomic_fetch_add(&laps[team], 1, __ATOMIC_RELAXED);
	upcall_latch_count_down(&finish, 1);
	return NULL;
}

static void *get_lost(void *arg)
{
	long steps = 0;

	(void)arg;
	while (!upcall_is_cancelled() && upcall_sleep(3600 * UINT64_C(1000000000)) == 0)
		steps++;
	return (void *)steps;
}

/* Threads of one team share what they touch: they begin on one vproc. */
static int enter(upcall_t *ret_thread, int team, int number)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	char name[16];

	snprintf(name, sizeof(name), "team%d-%d", team, number);
	attr.group = (unsigned)team + 1;
	attr.name = name;
	return upcall_create(ret_thread, &attr, run, (void *)(long)team);
}

int main(void)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;
	upcall_t runner[TEAMS][RUNNERS], stray;
	void *steps;
	int err, total = 0;

	options.vprocs = 2;
	if (upcall_init(&options) || upcall_latch_init(&finish, TEAMS * RUNNERS) ||
	    upcall_create(&stray, NULL, get_lost, NULL))
		return 1;
	for (int team = 0; team < TEAMS; team++) {
		upcall_barrier_init(&team_barrier[team], RUNNERS);
		for (int i = 0; i < RUNNERS; i++)
			if (enter(&runner[team][i], team, i))
				return 1;
	}
	upcall_event_set(&gun);
	upcall_latch_wait(&finish);
	err = upcall_join_until(stray, NULL, upcall_after(5000000));	/* 5 ms: nobody comes */
	upcall_cancel(stray);
	upcall_join(stray, &steps);
	for (int team = 0; team < TEAMS; team++) {
		for (int i = 0; i < RUNNERS; i++)
			upcall_join(runner[team][i], NULL);
		upcall_barrier_destroy(&team_barrier[team]);
		total += laps[team];
	}
	printf("%d laps on %u vprocs, and one called back\n", total, upcall_vprocs());
	return total != TEAMS * LAPS || err != -ETIMEDOUT || steps;
}
