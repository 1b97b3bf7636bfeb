// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program on the native API whose threads are each in another wait, for the tools to describe: two
 * that wait for each other's mutex, one for a mutex that is held, a writer behind two readers and a
 * reader behind a writer, and one each on everything else that there is to wait for.
 *
 * Says "ready" once all of them wait, and goes on until its standard input ends, while two threads
 * hand a number to and fro.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <upcall/upcall.h>

enum { MS = 1000000 };

struct upcall_mutex held, first, second, never;
struct upcall_rwlock read_table, written_table;
struct upcall_cond condition;
struct upcall_event event;
struct upcall_latch latch;
struct upcall_sem sem;
struct upcall_barrier barrier;
struct upcall_channel *empty, *full, *to, *fro;
static struct upcall_latch settled;
static upcall_t joined;
static int pipes[2];

static void *start(const char *name, void (*fn)(void), unsigned flags)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t;

	attr.name = name;
	attr.flags = flags;
	if (upcall_create(&t, &attr, (void *(*)(void *))(void *)fn, NULL)) {
		fprintf(stderr, "cannot start %s\n", name);
		exit(1);
	}
	return t;
}

static void forever(void)
{
	upcall_sleep(86400ull * 1000 * MS);
}

static void is_settled(void)
{
	upcall_latch_count_down(&settled, 1);
}

static void holder(void)
{
	upcall_mutex_lock(&held);
	upcall_rwlock_write(&written_table);
	is_settled();
	forever();
}

static void reading(void)
{
	upcall_rwlock_read(&read_table);
	is_settled();
	forever();
}

static void circle(struct upcall_mutex *mine, struct upcall_mutex *theirs)
{
	upcall_mutex_lock(mine);
	is_settled();
	upcall_latch_wait(&settled);
	upcall_mutex_lock(theirs);
}

static void circle1(void) { circle(&first, &second); }
static void circle2(void) { circle(&second, &first); }
static void locker(void) { upcall_mutex_lock(&held); }
static void writer(void) { upcall_rwlock_write(&read_table); }
static void reader(void) { upcall_rwlock_read(&written_table); }
static void on_event(void) { upcall_event_wait(&event); }
static void on_latch(void) { upcall_latch_wait_until(&latch, upcall_now() + 5000ull * 1000 * MS); }
static void on_sem(void) { upcall_sem_wait(&sem); }
static void on_barrier(void) { upcall_barrier_wait(&barrier); }
static void parked(void) { upcall_park(); }
static void joiner(void) { upcall_join(joined, NULL); }

static void on_cond(void)
{
	upcall_mutex_lock(&never);
	upcall_cond_wait(&condition, &never);
}

static void sender(void)
{
	int one = 1;

	while (upcall_channel_send(full, &one) == 0)
		;
}

static void receiver(void)
{
	int one;

	upcall_channel_receive(empty, &one);
}

static void pipe_reader(void)
{
	char byte;

	upcall_read(pipes[0], &byte, 1);
}

static void bound(void)
{
	is_settled();
	for (;;)
		pause();
}

/* A switch each few milliseconds, for a trace to have something to say. */
static void ping(void)
{
	for (int n = 0; upcall_channel_send(to, &n) == 0 && upcall_channel_receive(fro, &n) == 0; n++)
		upcall_sleep(2 * MS);
}

static void pong(void)
{
	for (int n; upcall_channel_receive(to, &n) == 0;)
		upcall_channel_send(fro, &n);
}

int main(void)
{
	char byte;

	upcall_latch_init(&settled, 6);
	upcall_latch_init(&latch, 1);
	upcall_barrier_init(&barrier, 2);
	if (pipe(pipes) || upcall_channel_create(&empty, 2, sizeof(int)) ||
	    upcall_channel_create(&full, 2, sizeof(int)) || upcall_channel_create(&to, 1, sizeof(int)) ||
	    upcall_channel_create(&fro, 1, sizeof(int)))
		return 1;
	joined = start("holder", holder, 0);
	start("reading", reading, 0);
	start("reading", reading, 0);
	start("circle", circle1, 0);
	start("circle", circle2, 0);
	start("bound", bound, UPCALL_BOUND);
	upcall_latch_wait(&settled);
	start("locker", locker, 0);
	start("bare", locker, UPCALL_NO_TLS);
	start("writer", writer, 0);
	start("reader", reader, 0);
	start("on-event", on_event, 0);
	start("on-latch", on_latch, 0);
	start("on-sem", on_sem, 0);
	start("on-barrier", on_barrier, 0);
	start("on-cond", on_cond, 0);
	start("parked", parked, 0);
	start("joiner", joiner, 0);
	start("sender", sender, 0);
	start("receiver", receiver, 0);
	start("pipe-reader", pipe_reader, 0);
	start("ping", ping, 0);
	start("pong", pong, 0);
	upcall_sleep(300 * MS);
	printf("channels %p %p pipe %d\nready\n", (void *)empty, (void *)full, pipes[0]);
	fflush(stdout);
	while (upcall_read(0, &byte, 1) > 0)
		;
	_exit(0);
}
