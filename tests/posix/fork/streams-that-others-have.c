// SPDX-License-Identifier: BSD-2-Clause
// fork while another thread has a stream's lock (flockfile) and others write to streams: in the child, where these
// threads are not, other streams work, and so, with glibc, which makes all locks new there, do the same ones.
#include "../harness.h"

enum { FORKS = 8, WRITERS = 2 };

static FILE *held, *busy[WRITERS];
static int out[2];
static atomic_bool is_held, is_over;
static sem_t done;

static void *holds(void *arg)
{
	flockfile(held);
	flockfile(held);
	is_held = true;
	CHECK_OK(sem_wait(&done));
	funlockfile(held);
	funlockfile(held);
	return arg;
}

static void *writes(void *arg)
{
	FILE *f = busy[(intptr_t)arg];

	for (int i = 0; !is_over; i++) {
		CHECK(fprintf(f, "%d %s\n", i, "and so on") > 0);
		if (i % 64 == 0)
			sched_yield();
	}
	return NULL;
}

static void others_work(void)
{
	char line[32] = "";
	FILE *f = tmpfile();

	CHECK(f != NULL);
	CHECK_EQ(fprintf(f, "%s\n", "a line"), 7);
	rewind(f);
	CHECK(fgets(line, sizeof line, f) && !strcmp(line, "a line\n"));
	CHECK_OK(fclose(f));
}

static void *says(void *arg)
{
	CHECK(fputs("said\n", held) >= 0);
	CHECK_OK(fflush(held));
	return arg;
}

static void child(void)
{
	others_work();
	says(NULL);
	flockfile(held);
	funlockfile(held);
	join(spawn(says, NULL));
	for (int i = 0; i < WRITERS; i++) {
		CHECK(fputs("more\n", busy[i]) >= 0);
		CHECK_OK(fflush(busy[i]));
	}
	CHECK_OK(fflush(NULL));
	exit(0);
}

static void *forks(void *arg)
{
	char got[16] = "";

	for (int i = 0; i < FORKS / 2; i++) {
		CHECK_EQ(in_child(child), 0);
		CHECK_EQ(read(out[0], got, 10), 10);
		CHECK(!memcmp(got, "said\nsaid\n", 10));
	}
	return arg;
}

int main(void)
{
	pthread_t h, t[WRITERS];

	CHECK_OK(sem_init(&done, 0, 0));
	CHECK_OK(pipe(out));
	CHECK((held = fdopen(out[1], "w")) != NULL);
	for (int i = 0; i < WRITERS; i++)
		CHECK((busy[i] = fopen("/dev/null", "w")) != NULL);
	h = spawn(holds, NULL);
	spawn_many(t, WRITERS, writes);
	WAIT_FOR(is_held);
	forks(NULL);
	join(spawn(forks, NULL));
	is_over = true;
	CHECK_OK(sem_post(&done));
	join(h);
	join_many(t, WRITERS);
}
