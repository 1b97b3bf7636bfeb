// SPDX-License-Identifier: BSD-2-Clause
// Policies that a program brings along: one queue, newest first; and a queue for each vproc, never left.
#include "policy.h"

#include <dirent.h>

static struct upcall_policy_lock lock;
static struct { upcall_t newest; unsigned count; } stacks[2];
static atomic_int starts, events;

static int start(unsigned vprocs)
{
	memset(&lock, 0, sizeof(lock));
	memset(stacks, 0, sizeof(stacks));
	starts++;
	return vprocs > 2 ? -ERANGE : 0;
}

static atomic_bool is_alone;		/* vproc 0: the other has no processor; written under the lock */

static void put_on(int i, upcall_t t)
{
	upcall_policy_slot(t)->next = stacks[i].newest;
	stacks[i].newest = t;
	__atomic_store_n(&stacks[i].count, stacks[i].count + 1, __ATOMIC_RELAXED);
}

static int push(int i, upcall_t t)
{
	upcall_policy_lock(&lock);
	i = is_alone ? 0 : i;
	put_on(i, t);
	upcall_policy_unlock(&lock);
	return i;
}

/* current, if there is one, in exchange. */
static upcall_t exchange(int i, upcall_t current)
{
	upcall_policy_lock(&lock);
	upcall_t t = stacks[i].newest;

	if (t) {
		stacks[i].newest = upcall_policy_slot(t)->next;
		__atomic_store_n(&stacks[i].count, stacks[i].count - 1, __ATOMIC_RELAXED);
	}
	if (t && current)
		put_on(i, current);
	upcall_policy_unlock(&lock);
	return t;
}

static upcall_t pop(int i)
{
	return exchange(i, NULL);
}

/* Newest first. */
static enum upcall_ready reasons[64];
static atomic_uint nreasons;

static int enqueue_one(upcall_t t, enum upcall_ready why, int vproc)
{
	(void)vproc;
	reasons[nreasons++ % 64] = why;
	push(0, t);
	return UPCALL_ANY_VPROC;
}

static upcall_t dequeue_one(unsigned vproc, upcall_t current, enum upcall_ready why)
{
	(void)vproc, (void)current, (void)why;
	return pop(0);
}

static unsigned count_one(unsigned vproc)
{
	(void)vproc;
	return __atomic_load_n(&stacks[0].count, __ATOMIC_RELAXED);
}

static void on_event(const struct upcall_report *event)
{
	events += event->kind == UPCALL_REPORT_TIMER;
}

static const struct upcall_policy newest_first = {
	.size = sizeof(newest_first), .name = "newest first", .start = start, .event = on_event,
	.enqueue = enqueue_one, .dequeue = dequeue_one, .count = count_one,
};

static struct upcall_sem sem;

static void *wait_on_sem(void *arg)
{
	upcall_sem_wait(&sem);
	return arg;
}

static void run_newest_first(void)
{
	upcall_t t[4];

	CHECK_IS(starts, 1);
	upcall_nopreempt_begin();
	for (long i = 0; i < 4; i++)
		t[i] = spawn(step, (void *)('a' + i));
	upcall_nopreempt_end();
	for (int i = 0; i < 4; i++)
		join(t[i]);
	check_ran("dcba");

	nreasons = 0;
	t[0] = spawn(wait_on_sem, NULL);
	upcall_yield();
	upcall_sem_post(&sem);
	join(t[0]);
	leave_if_disturbed();				/* there was another reason */
	CHECK_IS(reasons[0], UPCALL_READY_NEW);		/* the thread; main yields; the thread, main */
	CHECK_IS(reasons[1], UPCALL_READY_YIELDED);
	CHECK_IS(reasons[2], UPCALL_READY_WOKEN);
	CHECK_IS(reasons[3], UPCALL_READY_WOKEN);
	CHECK_IS(nreasons, 4);

	CHECK_IS(upcall_sleep(MS), 0);
	CHECK_IS(events, 1);

	/* A forked child begins anew, with the same policy. */
	pid_t child = fork();
	int status;

	if (child == 0) {
		t[0] = spawn(step, (void *)'a');
		t[1] = spawn(step, (void *)'b');
		CHECK_IS(starts, 2);
		join(t[0]);
		join(t[1]);
		check_ran("ba");
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	if (status == DISTURBED << 8)
		_exit(DISTURBED);
	CHECK_IS(status, 0);
}

/* The same, and dequeue queues who goes on. */
static upcall_t exchange_one(unsigned vproc, upcall_t current, enum upcall_ready why)
{
	(void)vproc;
	if (current)
		reasons[nreasons++ % 64] = why;
	return exchange(0, current);
}

static const struct upcall_policy exchanging = {
	.size = sizeof(exchanging), .name = "exchanging", .flags = UPCALL_POLICY_EXCHANGES, .start = start,
	.enqueue = enqueue_one, .dequeue = exchange_one, .count = count_one,
};

static void run_exchanging(void)
{
	upcall_nopreempt_begin();
	upcall_t t = spawn(step, (void *)'a');

	nreasons = 0;
	upcall_yield();
	check_ran("a");
	CHECK_IS(nreasons, 1);			/* enqueue was not called */
	CHECK_IS(reasons[0], UPCALL_READY_YIELDED);
	upcall_yield();				/* to nobody */
	CHECK_IS(nreasons, 2);
	upcall_nopreempt_end();
	join(t);
}

/* Who yields again and again must not come before the others each time. */
static upcall_t pop_oldest(int i)
{
	upcall_policy_lock(&lock);
	upcall_t *last = &stacks[i].newest, t;

	while (*last && upcall_policy_slot(*last)->next)
		last = &upcall_policy_slot(*last)->next;
	t = *last;
	*last = NULL;
	if (t)
		__atomic_store_n(&stacks[i].count, stacks[i].count - 1, __ATOMIC_RELAXED);
	upcall_policy_unlock(&lock);
	return t;
}

/* A thread's word says where it runs, as long as that vproc has a processor. */
static int enqueue_there(upcall_t t, enum upcall_ready why, int vproc)
{
	(void)why, (void)vproc;
	return push((int)upcall_policy_slot(t)->word, t);
}

static void limit_them(unsigned n)
{
	upcall_t t;

	upcall_policy_lock(&lock);
	is_alone = n < 2;
	upcall_policy_unlock(&lock);
	while (n < 2 && (t = pop_oldest(1)))
		push(0, t);
}

static upcall_t dequeue_there(unsigned vproc, upcall_t current, enum upcall_ready why)
{
	(void)current, (void)why;
	return pop_oldest((int)vproc);
}

static unsigned count_there(unsigned vproc)
{
	return __atomic_load_n(&stacks[vproc].count, __ATOMIC_RELAXED);
}

static const struct upcall_policy stay = {
	.size = sizeof(stay), .name = "stay", .start = start, .limit = limit_them,
	.enqueue = enqueue_there, .dequeue = dequeue_there, .count = count_there,
};

static struct upcall_sem there_and_back[2];

static void *go_on_there(void *arg)
{
	int there = (int)(long)arg;

	for (int i = 0; i < 300; i++) {
		CHECK_IS(upcall_vproc(), there);
		upcall_sem_post(&there_and_back[!there]);
		if (i % 3 == 0)
			upcall_yield();
		CHECK_IS(upcall_vproc(), there);
		upcall_sem_wait(&there_and_back[there]);
		if (i % 100 == 0)
			upcall_sleep(2 * MS);
	}
	return NULL;
}

static void run_where_the_word_says(void)
{
	upcall_t t[6];

	if (upcall_vprocs() < 2)
		return;
	for (long i = 0; i < 6; i++)
		t[i] = spawn_at(0, (uint64_t)i % 2, go_on_there, (void *)(i % 2));
	for (int i = 0; i < 6; i++)
		join(t[i]);
}

static atomic_int begun;

static void *yield_until_alone(void *arg)
{
	CHECK_IS(upcall_vproc(), (int)(long)arg);
	begun++;
	while (!is_alone || upcall_vproc() != 0)
		upcall_yield();
	return NULL;
}

static void keep_two_processors(void)
{
	cpu_set_t two;

	CHECK_IS(sched_getaffinity(0, sizeof(two), &two), 0);
	for (int cpu = 0, n = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &two) && ++n > 2)
			CPU_CLR(cpu, &two);
	CHECK_IS(sched_setaffinity(0, sizeof(two), &two), 0);
}

/* What an administrator does to the whole process. */
static void take_processors_away(void)
{
	DIR *tasks = opendir("/proc/self/task");
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	for (struct dirent *d; (d = readdir(tasks)) != NULL;)
		if (d->d_name[0] != '.')
			sched_setaffinity(atoi(d->d_name), sizeof(one), &one);
	closedir(tasks);
}

static void move_when_a_vproc_goes(void)
{
	upcall_t t[4];

	if (upcall_vprocs() < 2)
		return;
	for (long i = 0; i < 4; i++)
		t[i] = spawn_at(0, (uint64_t)i % 2, yield_until_alone, (void *)(i % 2));
	while (begun < 4)			/* a vproc's kernel thread may come late */
		upcall_sleep(5 * MS);
	take_processors_away();
	for (int i = 0; i < 4; i++)
		join(t[i]);
}

static void refuse(void)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;
	struct { struct upcall_policy policy; uint64_t more; } newer = { newest_first, 1 };
	struct upcall_policy bad = newest_first;

	CHECK(!upcall_policy_named("lottery"));
	options.policy = &bad;
	bad.dequeue = NULL;
	CHECK_IS(upcall_init(&options), -EINVAL);
	bad = newest_first;
	bad.flags = 1u << 31;
	CHECK_IS(upcall_init(&options), -EINVAL);
	options.policy = &newer.policy;
	newer.policy.size = sizeof(newer);
	CHECK_IS(upcall_init(&options), -E2BIG);
	newer.more = 0;
	newer.policy.start = NULL;
	newer.policy.event = NULL;
	options.vprocs = UPCALL_VPROCS_MAX + 1;
	CHECK_IS(upcall_init(&options), -EINVAL);
	options.vprocs = 1;
	CHECK_IS(upcall_init(&options), 0);
	CHECK_IS(upcall_init(&options), -EBUSY);
}

static void test(void)
{
	with_policy(&newest_first, 1, run_newest_first);
	with_policy(&exchanging, 1, run_exchanging);
	with_policy(&stay, 2, run_where_the_word_says);
	keep_two_processors();
	with_policy(&stay, 0, move_when_a_vproc_goes);
	refuse();
}
