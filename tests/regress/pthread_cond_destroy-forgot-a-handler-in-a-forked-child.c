// SPDX-License-Identifier: BSD-2-Clause
// In the child of a fork pthread_cond_destroy waited a tenth of a second for a waiter that was still in a signal
// handler, and the waiter wrote to what had become other memory.  Those that stayed in the parent are not waited for.
#include "../posix/harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t inherited = PTHREAD_COND_INITIALIZER;
static struct { pthread_cond_t cond; } object;
static bool is_go;
static atomic_bool waits, in_handler, left;

static void handle(int sig UNUSED)
{
	in_handler = true;
	sleep_ms(600);
}

static void *body(void *arg)
{
	pthread_cond_t *c = arg;

	CHECK_OK(pthread_mutex_lock(&lock));
	waits = true;
	while (!is_go)
		CHECK_OK(pthread_cond_wait(c, &lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	left = true;
	return NULL;
}

static void child(void)
{
	static const char zero[sizeof(object)];
	pthread_t t;

	CHECK_OK(pthread_cond_init(&object.cond, NULL));
	waits = false;
	on_signal(SIGUSR1, handle, 0);
	t = spawn(body, &object.cond);
	WAIT_FOR(waits);
	settle();
	CHECK_OK(pthread_kill(t, SIGUSR1));
	WAIT_FOR(in_handler);
	CHECK_OK(pthread_mutex_lock(&lock));
	is_go = true;
	CHECK_OK(pthread_cond_broadcast(&object.cond));
	CHECK_OK(pthread_mutex_unlock(&lock));
	CHECK_OK(pthread_cond_destroy(&object.cond));
	memset(&object, 0, sizeof(object));
	WAIT_FOR(left);
	CHECK(memcmp(&object, zero, sizeof(object)) == 0);
	join(t);

	/* The same with one that the parent's thread waits on. */
	is_go = waits = false;
	t = spawn(body, &inherited);
	WAIT_FOR(waits);
	CHECK_OK(pthread_mutex_lock(&lock));
	is_go = true;
	CHECK_OK(pthread_cond_signal(&inherited));
	CHECK_OK(pthread_mutex_unlock(&lock));
	join(t);
}

int main(void)
{
	pthread_t t = spawn(body, &inherited);

	WAIT_FOR(waits);
	CHECK_OK(pthread_mutex_lock(&lock));
	CHECK_OK(pthread_mutex_unlock(&lock));
	CHECK_EQ(in_child(child), 0);
	CHECK_OK(pthread_mutex_lock(&lock));
	is_go = true;
	CHECK_OK(pthread_cond_signal(&inherited));
	CHECK_OK(pthread_mutex_unlock(&lock));
	join(t);
}
