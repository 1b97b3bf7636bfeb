// SPDX-License-Identifier: BSD-2-Clause
// POSIX, fork and pthread_exit: a thread that another one made forks while main is in pthread_exit, in a cleanup
// handler and in a key's destructor, and once main has left; the child, whose only thread it is, makes threads, and
// ends with status 0 as its last thread does.
#include "../harness.h"

static pthread_t main_thread;
static pthread_key_t key;
static atomic_int at, done, is_over;
static pid_t of;

static void *works(void *arg)
{
	sleep_ms(1);
	(*(int *)arg)++;
	return NULL;
}

static void grandchild(void)
{
	int n = 0;
	pthread_t t = spawn(works, &n);

	join(t);
	CHECK_EQ(n, 1);
	spawn(works, &done);
	pthread_exit(NULL);
}

static void *forks(void *arg)
{
	CHECK_EQ(in_child(grandchild), 0);
	return arg;
}

static void *made_by_another(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		WAIT_FOR(at == i);
		forks(NULL);
		done = i;
	}
	CHECK_OK(pthread_join(main_thread, NULL));
	forks(NULL);
	join(spawn(forks, NULL));
	is_over = 1;
	return arg;
}

static void *makes(void *arg)
{
	spawn(made_by_another, NULL);
	return arg;
}

static void stay(void *step)
{
	at = (int)(intptr_t)step;
	WAIT_FOR(done == at);
}

static void not_before_its_last_thread(void)
{
	if (getpid() == of)
		CHECK(is_over);
}

static void child(void)
{
	of = getpid();
	CHECK_OK(atexit(not_before_its_last_thread));
	main_thread = pthread_self();
	CHECK_OK(pthread_key_create(&key, stay));
	CHECK_OK(pthread_setspecific(key, (void *)2));
	join(spawn(makes, NULL));
	pthread_cleanup_push(stay, (void *)1);
	pthread_exit(NULL);
	pthread_cleanup_pop(0);
}

int main(void)
{
	CHECK_EQ(in_child(child), 0);
	join(spawn(nothing, NULL));
	at = done = is_over = 0;
	CHECK_EQ(in_child(child), 0);
}
