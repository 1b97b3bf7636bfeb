// SPDX-License-Identifier: BSD-2-Clause
// gai_suspend with a time limit fails with EAI_AGAIN when that is over, and not before, nor with EAI_INTR where no signal
// has been caught (getaddrinfo_a(3)), whatever other threads do meanwhile.
#include "../harness.h"

#include <netdb.h>

enum { LIMIT_MS = 300 };

static atomic_bool stop;
static struct gaicb request = { .ar_name = "upcall-none" };

static void *computes(void *arg)
{
	while (!stop)
		__asm__ volatile("" ::: "memory");
	return arg;
}

static void *suspends(void *arg)
{
	const struct gaicb *list[] = { &request };
	struct timespec limit = ms_span(LIMIT_MS);
	uint64_t began = now_ns();

	int err = gai_suspend(list, 1, &limit);

	CHECK(err == EAI_AGAIN || err == EAI_SYSTEM);		/* so says glibc */
	CHECK(now_ns() - began >= LIMIT_MS * 1000000ull);
	return arg;
}

/* It reads the file of aliases, which is a pipe that is never written to. */
static void begin_for_ever(void)
{
	struct gaicb *list[] = { &request };
	const char *path = fresh_path();

	CHECK_OK(mkfifo(path, 0600));
	CHECK_OK(setenv("HOSTALIASES", path, 1));
	CHECK_OK(getaddrinfo_a(GAI_NOWAIT, list, 1, NULL));
	while (open(path, O_WRONLY | O_NONBLOCK) < 0 && gai_error(&request) == EAI_INPROGRESS)
		sleep_ms(1);
	CHECK_OK(unlink(path));
	if (gai_error(&request) != EAI_INPROGRESS)
		skip("names are looked up here without HOSTALIASES");
}

int main(void)
{
	pthread_t busy, t[2];

	begin_for_ever();
	busy = spawn(computes, NULL);
	spawn_many(t, 2, suspends);
	join_many(t, 2);
	stop = true;
	join(busy);
	CHECK_EQ(gai_error(&request), EAI_INPROGRESS);
}
