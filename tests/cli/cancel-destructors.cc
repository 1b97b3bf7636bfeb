// SPDX-License-Identifier: BSD-2-Clause
// A cancellation unwinds the stack as an exception does (glibc; gcc's abi::__forced_unwind): destructors, cleanup
// handlers and __attribute__((cleanup)) run from the inside out, catch (...) and catch (abi::__forced_unwind &) that
// throw again let it pass, then come thread_local objects, and then the keys' destructors (pthread_key_create).
// Destructors may throw and catch exceptions of their own, and sleep.
#include "cxx.h"

#include <cxxabi.h>
#include <poll.h>

static char trail[32];
static atomic_int length;
static int p[2];
static sem_t sem;
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static atomic_bool entered, requested;
static bool is_pending;

static void note(char c)
{
	trail[length++] = c;
}

struct Mark {
	char c;
	explicit Mark(char c) : c(c) {}
	~Mark()
	{
		sleep_ms(1);
		note(c);
	}
};

struct Throws {
	~Throws()
	{
		try {
			throw 1;
		} catch (int) {
			note('1');
		}
	}
};

/* Owns the mutex: an error-checking one says whether it does so in the destructor. */
struct Guard {
	Guard() { CHECK_OK(pthread_mutex_lock(&lock)); }
	~Guard() { CHECK_OK(pthread_mutex_unlock(&lock)); }
};

static thread_local Mark local('t');

static void waits_for_cond()
{
	Guard g;

	for (;;)
		pthread_cond_wait(&cond, &lock);
}

static void waits_in_read()
{
	char c;

	(void)!read(p[0], &c, 1);
}

static void waits_in_nanosleep()
{
	struct timespec t = ms_span(2 * WATCHDOG_SECONDS * 1000);

	nanosleep(&t, NULL);
}

static void waits_in_sem_wait()
{
	sem_wait(&sem);
}

static void waits_in_poll()
{
	struct pollfd one = { p[0], POLLIN, 0 };

	poll(&one, 1, -1);
}

static void (*const waits[])() = {
	waits_for_cond, waits_in_read, waits_in_nanosleep, waits_in_sem_wait, waits_in_poll,
};

[[gnu::noinline]] static void inner(void (*wait)())
{
	Mark c('c');

	try {
		Mark d('d');
		Throws t;

		wait();
		note('?');
	} catch (...) {
		note('!');
		throw;
	}
}

[[gnu::noinline]] static void outer(void (*wait)())
{
	Mark b('b');

	try {
		inner(wait);
	} catch (abi::__forced_unwind &) {
		note('f');
		throw;
	}
}

static void on_pop(void *)
{
	note('p');
}

static void on_key(void *)
{
	note('k');
}

static void on_leave(char *c)
{
	note(*c);
}

static void *body(void *arg)
{
	Mark a('a');
	__attribute__((cleanup(on_leave))) char v = 'v';

	CHECK_OK(pthread_setspecific(key, &key));
	CHECK_EQ(local.c, 't');				/* it is made here */
	pthread_cleanup_push(on_pop, NULL);
	if (is_pending)
		CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	entered = true;
	if (is_pending) {
		WAIT_FOR(requested);
		CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
	}
	outer(waits[(intptr_t)arg]);
	note('?');
	pthread_cleanup_pop(0);
	return NULL;
}

static void check(intptr_t i)
{
	length = 0;
	entered = requested = false;
	memset(trail, 0, sizeof trail);

	pthread_t t = spawn(body, (void *)i);

	WAIT_FOR(entered);
	if (!is_pending)
		settle();
	CHECK_OK(pthread_cancel(t));
	requested = true;
	CHECK(join(t) == PTHREAD_CANCELED);
	if (strcmp(trail, "1d!cfbpvatk"))
		dprintf(2, "wait %d, pending %d: %s\n", (int)i, is_pending, trail);
	CHECK(!strcmp(trail, "1d!cfbpvatk"));
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
}

int main()
{
	CHECK_OK(pipe(p));
	CHECK_OK(sem_init(&sem, 0, 0));
	CHECK_OK(pthread_key_create(&key, on_key));
	for (int pending = 0; pending < 2; pending++) {
		is_pending = pending;
		for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
			check((intptr_t)i);
	}
}
