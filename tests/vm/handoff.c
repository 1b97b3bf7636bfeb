// SPDX-License-Identifier: BSD-2-Clause
/*
 * The owner of a vproc blocks again and again; each time the kernel's own trace must show that the next
 * thread on that processor is the spare.  And while the spare computes the owner, long awake, must not
 * run.  The roles change after each block, as they do in a threads system.
 */
#include "vproc.h"

enum { ROUNDS = 200, CPU = 1 };

#define TRACING "/sys/kernel/tracing/"

static atomic_int turn;			/* who owns the vproc: 0 or 1 */
static atomic_int nblocks, is_over;
static int tids[2];

static void put(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "%s", file);
	FILE *f = fopen(path, "w");

	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* Comes back as the spare, unless it woke up before the other looked. */
static void block(void)
{
	struct timespec t = { 0, 300000 };

	atomic_fetch_add(&nblocks, 1);
	nanosleep(&t, NULL);
}

/* Until the other, whom we replaced, is awake and held: the processor stays ours. */
static void compute(int other)
{
	uint64_t end = now_us() + 5000000;

	while (page->slot[1 + other].state == UPCALL_KERNEL_BLOCKED) {
		if (nblocks < 2)
			return;
		CHECK(now_us() < end);
	}
	CHECK(page->vproc[0].running != (uint32_t)(1 + other) + 1);
}

static void *activation(void *arg)
{
	int me = (int)(long)arg, other = !me;

	join((unsigned)(1 + me), CPU);
	tids[me] = (int)syscall(SYS_gettid);
	while (!is_over) {
		if (turn != me) {
			/* The spare: runs when the owner blocks. */
			if (page->slot[1 + other].state != UPCALL_KERNEL_BLOCKED || !tids[other]) {
				sched_yield();
				continue;
			}
			turn = me;
			control->vproc[0].owner = (uint32_t)(1 + me) + 1;
			control->vproc[0].successor = (uint32_t)(1 + other) + 1;
		}
		compute(other);
		if (nblocks >= ROUNDS)
			is_over = 1;
		else
			block();
	}
	return NULL;
}

/* Each switch away from one of the two because it blocked (S) must be to the other. */
static void read_trace(void)
{
	FILE *f = fopen(TRACING "trace", "r");
	char line[512];
	int handed = 0, lost = 0;

	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		char *from = strstr(line, "prev_pid="), *state = strstr(line, "prev_state="),
		     *to = strstr(line, "next_pid=");

		if (!from || !state || !to || !strstr(line, "sched_switch:") || strchr(state + 11, 'S') != state + 11)
			continue;
		int prev = atoi(from + 9), next = atoi(to + 9);

		if (prev != tids[0] && prev != tids[1])
			continue;
		if (next == (prev == tids[0] ? tids[1] : tids[0]))
			handed++;
		else if (++lost < 5)
			printf("  not the spare: %s", line);
	}
	fclose(f);
	printf("in the trace: after %d of %d blocks the spare was next on the processor\n", handed, handed + lost);
	/* What is of the kernel's normal class may come between; on a slow machine a sleep is over before it begins. */
	CHECK(handed >= ROUNDS / 2 && lost <= ROUNDS / 20);
}

int main(void)
{
	pthread_t t[2];

	alarm(100);
	be_admitted();
	control->vproc[0].owner = 2;
	control->vproc[0].successor = 3;
	put("buffer_size_kb", "4096");
	put("trace", "");
	put("events/sched/sched_switch/enable", "1");
	for (long i = 0; i < 2; i++)
		CHECK(pthread_create(&t[i], NULL, activation, (void *)i) == 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	put("events/sched/sched_switch/enable", "0");
	read_trace();
	CHECK(page->vproc[0].noverlaps == 0);
	return 0;
}
