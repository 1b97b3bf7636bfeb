// SPDX-License-Identifier: BSD-2-Clause
/* A scheduling policy: of the threads that are ready the one with the earliest deadline runs. */
#include <stdio.h>
#include <upcall/policy.h>

/* Ready threads, the earliest first; a thread's word is its deadline, 0: none.  (Who forks also wants a `start`.) */
static struct upcall_policy_lock lock;
static upcall_t first;
static unsigned ready;

static uint64_t deadline_of(upcall_t t)
{
	return upcall_policy_slot(t)->word ? upcall_policy_slot(t)->word : UPCALL_NEVER;
}

static int enqueue(upcall_t t, enum upcall_ready why, int vproc)
{
	bool amid = why == UPCALL_READY_PREEMPTED;	/* it goes before others with its deadline */
	upcall_t *at = &first;

	(void)vproc;
	upcall_policy_lock(&lock);
	while (*at && (amid ? deadline_of(*at) < deadline_of(t) : deadline_of(*at) <= deadline_of(t)))
		at = &upcall_policy_slot(*at)->next;
	upcall_policy_slot(t)->next = *at;
	*at = t;
	__atomic_store_n(&ready, ready + 1, __ATOMIC_RELAXED);
	upcall_policy_unlock(&lock);
	return UPCALL_ANY_VPROC;
}

static upcall_t dequeue(unsigned vproc, upcall_t current, enum upcall_ready why)
{
	(void)vproc;
	upcall_policy_lock(&lock);
	upcall_t t = first;

	if (t && current && (deadline_of(t) > deadline_of(current) ||
			     (deadline_of(t) == deadline_of(current) && why == UPCALL_READY_PREEMPTED)))
		t = NULL;
	if (t) {
		first = upcall_policy_slot(t)->next;
		__atomic_store_n(&ready, ready - 1, __ATOMIC_RELAXED);
	}
	upcall_policy_unlock(&lock);
	return t;
}

static unsigned count(unsigned vproc)
{
	(void)vproc;
	return __atomic_load_n(&ready, __ATOMIC_RELAXED);
}

static bool preempts(unsigned vproc, upcall_t running)
{
	(void)vproc;
	upcall_policy_lock(&lock);
	bool is_earlier = first && deadline_of(first) < deadline_of(running);

	upcall_policy_unlock(&lock);
	return is_earlier;
}

static struct upcall_event go;
static int order[4], done;

static void *job(void *arg)
{
	upcall_event_wait(&go);
	order[__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED)] = *(const int *)arg;
	return NULL;
}

int main(void)
{
	static const struct upcall_policy policy = { .size = sizeof(policy), .name = "earliest deadline",
		.enqueue = enqueue, .dequeue = dequeue, .count = count, .preempts = preempts };
	static const int ms[4] = { 30, 10, 40, 20 };
	struct upcall_options options = { .size = sizeof(options), .vprocs = 1, .policy = &policy };
	uint64_t start = upcall_now();
	upcall_t t[4];

	if (upcall_init(&options))
		return 1;
	for (int i = 0; i < 4; i++) {
		struct upcall_attr attr = { .size = sizeof(attr), .policy_word = start + (uint64_t)ms[i] * 1000000 };

		if (upcall_create(&t[i], &attr, job, (void *)&ms[i]))
			return 1;
	}
	upcall_event_set(&go);
	for (int i = 0; i < 4; i++)
		upcall_join(t[i], NULL);
	printf("due in %d, %d, %d and %d ms: in this order\n", order[0], order[1], order[2], order[3]);
	return upcall_vprocs() == 1 && !(order[0] < order[1] && order[1] < order[2] && order[2] < order[3]);
}
