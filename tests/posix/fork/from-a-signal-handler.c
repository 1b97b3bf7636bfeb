// SPDX-License-Identifier: BSD-2-Clause
// POSIX.1-2008, 2.4.3: fork is async-signal-safe (and _Fork, of POSIX.1-2024): a handler forks, having interrupted what
// its thread computes or waits for; in the child the thread goes on where it was interrupted, and may make threads.
#include "../harness.h"

enum { LIVES = 7 };

static sem_t none;
static int never[2];
static atomic_bool begun, has_forked;
static atomic_bool *is_back;		/* in the parent, in the child: from what was interrupted */
static volatile pid_t child;
static pid_t (*do_fork)(void) = fork;

/* One that comes later only ends a wait that had not begun by then. */
static void forks(int sig UNUSED)
{
	int err = errno;

	if (has_forked)
		return;
	child = do_fork();
	if (child == 0)
		alarm(WATCHDOG_SECONDS);
	has_forked = true;
	errno = err;
}

static void *computes(void *arg)
{
	begun = true;
	while (!has_forked)
		;
	return arg;
}

static void *waits(void *arg)
{
	begun = true;
	CHECK_ERRNO(sem_wait(&none), EINTR);
	return arg;
}

static void *reads(void *arg)
{
	char c;

	begun = true;
	CHECK_ERRNO(read(never[0], &c, 1), EINTR);
	return arg;
}

static void *sleeps(void *arg)
{
	struct timespec t = ms_span(PATIENCE_MS);

	begun = true;
	CHECK_ERRNO(nanosleep(&t, NULL), EINTR);
	return arg;
}

static void *raises(void *arg)
{
	begun = true;
	CHECK_OK(raise(SIGUSR2));
	return arg;
}

/* In both processes. */
static void *body(void *arg)
{
	void *(*fn)(void *) = *(void *(**)(void *))arg;

	fn(NULL);
	CHECK(has_forked);
	is_back[child == 0] = true;
	if (child == 0) {
		join(spawn(nothing, NULL));
		sleep_ms(1);
		_exit(LIVES);
	}
	return NULL;
}

static void wait_for_child(void)
{
	int status;

	CHECK(child > 0);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == LIVES);
}

static void interrupt(pthread_t t)
{
	WAIT_FOR(begun);
	for (settle(); !is_back[0] || !is_back[1]; sleep_ms(5)) {
		if (!is_back[0])
			kill_if_there(t, SIGUSR2);
		if (child > 0 && !is_back[1])
			CHECK_OK(kill(child, SIGUSR2));
	}
}

static void test(void *(*fn)(void *))
{
	pthread_t t;

	child = -1;
	begun = has_forked = is_back[0] = is_back[1] = false;
	t = spawn(body, &fn);
	if (fn != raises)
		interrupt(t);
	join(t);
	wait_for_child();
}

static void test_all(void)
{
	void *(*raises_here)(void *) = raises;

	has_forked = false;
	body(&raises_here);
	wait_for_child();
	test(raises);
	test(computes);
	test(waits);
	test(reads);
	test(sleeps);
}

int main(void)
{
	is_back = shared_memory(2 * sizeof *is_back);
	CHECK_OK(pipe(never));
	CHECK_OK(sem_init(&none, 0, 0));
	on_signal(SIGUSR2, forks, 0);
	test_all();
#if __GLIBC_PREREQ(2, 34)
	do_fork = _Fork;
	test_all();
#endif
}
