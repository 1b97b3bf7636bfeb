// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hot paths, for step.c to count: paths CASE.  After many rounds that leave everything warm there are a few
 * with a breakpoint before and after each.  With -DNATIVE on <upcall/upcall.h>, else on pthreads.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef NATIVE
#include <upcall/upcall.h>

typedef upcall_t handle;
typedef struct upcall_mutex mutex;
typedef struct upcall_cond condition;
typedef struct upcall_sem semaphore;
static const struct upcall_attr bare = { .size = sizeof(bare), .flags = UPCALL_NO_TLS };
#define create(t, body, arg) upcall_create((t), &bare, (body), (arg))
#define join(t, value) upcall_join((t), (value))
#define yield() upcall_yield()
#define lock(m) upcall_mutex_lock(m)
#define unlock(m) upcall_mutex_unlock(m)
#define await(c, m) upcall_cond_wait((c), (m))
#define signal_one(c) upcall_cond_signal(c)
#define wait_for(s) upcall_sem_wait(s)
#define post(s) upcall_sem_post(s)
typedef upcall_key_t key;
#define make_key(k) upcall_key_create((k), NULL)
#define value_of(k) upcall_key_get(k)
#define set_value(k, value) upcall_key_set((k), (value))
#else
typedef pthread_t handle;
typedef pthread_mutex_t mutex;
typedef pthread_cond_t condition;
typedef sem_t semaphore;
#define create(t, body, arg) pthread_create((t), NULL, (body), (arg))
#define join(t, value) pthread_join((t), (value))
#define yield() sched_yield()
#define lock(m) pthread_mutex_lock(m)
#define unlock(m) pthread_mutex_unlock(m)
#define await(c, m) pthread_cond_wait((c), (m))
#define signal_one(c) pthread_cond_signal(c)
#define wait_for(s) sem_wait(s)
#define post(s) sem_post(s)
typedef pthread_key_t key;
#define make_key(k) pthread_key_create((k), NULL)
#define value_of(k) pthread_getspecific(k)
#define set_value(k, value) pthread_setspecific((k), (value))
#endif

enum { WARM = 20000, COUNTED = 8, BATCH = 8, LEVELS = 4, LOOKS = 32 };

static void *nothing(void *arg)
{
	return arg;
}

static void create_join(void)
{
	handle t;

	create(&t, nothing, NULL);
	join(t, NULL);
}

static void batch(void)
{
	static handle threads[BATCH];

	for (int i = 0; i < BATCH; i++)
		create(&threads[i], nothing, NULL);
	for (int i = 0; i < BATCH; i++)
		join(threads[i], NULL);
}

/* A thread for each call of the naive fib(n). */
static void *fib(void *arg)
{
	handle left, right;
	void *l, *r;

	if ((intptr_t)arg < 2)
		return arg;
	create(&left, fib, (char *)arg - 1);
	create(&right, fib, (char *)arg - 2);
	join(left, &l);
	join(right, &r);
	return (char *)l + (intptr_t)r;
}

static void tree(void)
{
	handle t;

	create(&t, fib, (void *)(intptr_t)LEVELS);
	join(t, NULL);
}

static void *yields(void *arg)
{
	for (;;)
		yield();
	return arg;
}

static void yield_round(void)
{
	yield();
}

static semaphore ping, pong;

static void *answers(void *arg)
{
	for (;;) {
		wait_for(&ping);
		post(&pong);
	}
	return arg;
}

static void semaphore_round(void)
{
	post(&ping);
	wait_for(&pong);
}

static mutex guard;
static condition is_turn_of[2];
static int turn;

static void take_turn(int me)
{
	lock(&guard);
	while (turn != me)
		await(&is_turn_of[me], &guard);
	turn = !me;
	signal_one(&is_turn_of[!me]);
	unlock(&guard);
}

static void *takes_turns(void *arg)
{
	for (;;)
		take_turn(1);
	return arg;
}

static void condition_round(void)
{
	take_turn(0);
}

static void lock_round(void)
{
	static mutex m;

	lock(&m);
	unlock(&m);
}

#ifdef NATIVE
/* An empty one that nobody wanted to preempt: the cost to those that are not. */
static void section_round(void)
{
	upcall_nopreempt_begin();
	upcall_nopreempt_end();
}
#endif

/*
 * So many looks that two instructions more in one are more than compilers differ by.  The key is made here, as
 * threads have more to do at their end where there is one.
 */
static void key_round(void)
{
	static key number;
	static bool is_made;

	if (!is_made)
		is_made = !make_key(&number) && !set_value(number, &number);
	for (int i = 0; i < LOOKS; i++)
		if (value_of(number) != &number)
			abort();
}

static const struct path { const char *name; void (*round)(void); void *(*partner)(void *); } paths[] = {
	{ "create-join", create_join, NULL },
	{ "batch", batch, NULL },
	{ "spawn-tree", tree, NULL },
	{ "yield", yield_round, yields },
	{ "semaphore", semaphore_round, answers },
	{ "condition", condition_round, takes_turns },
	{ "lock", lock_round, NULL },
	{ "key", key_round, NULL },
#ifdef NATIVE
	{ "section", section_round, NULL },
#endif
};

static void *run(void *arg)
{
	const struct path *p = arg;
	handle partner;

	if (p->partner)
		create(&partner, p->partner, NULL);
	for (int i = 0; i < WARM; i++)
		p->round();
	for (int i = 0; i < COUNTED; i++) {
		__asm__ volatile("int3");
		p->round();
	}
	__asm__ volatile("int3\n\tint3");
	exit(0);
}

int main(int argc, char **argv)
{
	handle t;

	for (size_t i = 0; argc == 2 && i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (strcmp(argv[1], paths[i].name))
			continue;
		create(&t, run, (void *)&paths[i]);
		join(t, NULL);
	}
	return 2;
}
