// SPDX-License-Identifier: BSD-2-Clause
// Who ended in a signal handler amid a wait did not have the mutex in its cleanup handlers, and stayed counted: the
// condition's end took ten seconds.
#include "../posix/harness.h"

enum { SOON_MS = 8000 };

static pthread_mutex_t lock;
static pthread_cond_t cond;
static bool waits, is_go;
static atomic_bool is_in_handler, has_cleaned;
static bool exits;

static void handle(int sig UNUSED)
{
	if (exits)
		pthread_exit(NULL);
	is_in_handler = true;
	for (;;)
		sleep_ms(1);
}

/* Nobody else wants the mutex by then. */
static void clean(void *arg UNUSED)
{
	CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);
	has_cleaned = true;
	CHECK_OK(pthread_mutex_unlock(&lock));
}

static void *leaves(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	waits = true;
	pthread_cleanup_push(clean, NULL);
	for (;;)
		CHECK_OK(pthread_cond_wait(&cond, &lock));
	pthread_cleanup_pop(0);
	return arg;
}

static void *stays(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	waits = true;
	while (!is_go)
		CHECK_OK(pthread_cond_wait(&cond, &lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	return arg;
}

static bool one_waits(void)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	bool does = waits;

	CHECK_OK(pthread_mutex_unlock(&lock));
	return does;
}

static pthread_t waiter(void *(*fn)(void *))
{
	waits = false;
	pthread_t t = spawn(fn, NULL);

	WAIT_FOR(one_waits());
	return t;
}

static void destroy_soon(void)
{
	uint64_t start = now_ns();

	CHECK_OK(pthread_cond_destroy(&cond));
	CHECK(now_ns() - start < SOON_MS * 1000000ull);
	CHECK_OK(pthread_mutex_destroy(&lock));
}

static void check(bool is_cancelled, bool is_signalled)
{
	CHECK_OK(pthread_mutex_init(&lock, NULL));
	CHECK_OK(pthread_cond_init(&cond, NULL));
	exits = !is_cancelled;
	is_go = is_in_handler = has_cleaned = false;
	pthread_t t = waiter(leaves), other = waiter(stays);

	CHECK_OK(pthread_kill(t, SIGUSR1));
	if (is_cancelled) {
		WAIT_FOR(is_in_handler);
		if (is_signalled) {
			CHECK_OK(pthread_mutex_lock(&lock));
			is_go = true;
			CHECK_OK(pthread_mutex_unlock(&lock));
			CHECK_OK(pthread_cond_signal(&cond));
		}
		CHECK_OK(pthread_cancel(t));
	}
	join(t);
	CHECK(has_cleaned);
	if (!is_signalled) {
		CHECK_OK(pthread_mutex_lock(&lock));
		is_go = true;
		CHECK_OK(pthread_mutex_unlock(&lock));
		CHECK_OK(pthread_cond_signal(&cond));
	}
	join(other);
	destroy_soon();
}

int main(void)
{
	on_signal(SIGUSR1, handle, 0);
	check(false, false);
	check(true, false);
	check(true, true);
}
