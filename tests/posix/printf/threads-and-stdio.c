// SPDX-License-Identifier: BSD-2-Clause
// stdio locks its streams: lines of many threads are whole, flockfile holds others off, and a full
// pipe stops only the writer.
#include "../harness.h"

#define N 8
#define LINES 200

static FILE *out;
static int p[2];

static void *body(void *arg)
{
	for (int i = 0; i < LINES; i++) {
		flockfile(out);
		fprintf(out, "thread %d ", (int)(intptr_t)arg);
		if (i % 50 == 0)
			sched_yield();
		fprintf(out, "line %d\n", i);
		funlockfile(out);
	}
	return NULL;
}

static void *reader(void *arg UNUSED)
{
	FILE *in = fdopen(p[0], "r");
	int next[N] = { 0 }, t, l, n = 0;

	while (fscanf(in, "thread %d line %d\n", &t, &l) == 2) {
		CHECK_EQ(next[t]++, l);
		n++;
	}
	fclose(in);
	return (void *)(intptr_t)n;
}

int main(void)
{
	pthread_t t[N], r;

	CHECK_OK(pipe(p));
	out = fdopen(p[1], "w");
	r = spawn(reader, NULL);
	spawn_many(t, N, body);
	join_many(t, N);
	CHECK_OK(fclose(out));
	CHECK_EQ((intptr_t)join(r), N * LINES);
}
