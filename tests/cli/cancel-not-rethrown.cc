// SPDX-License-Identifier: BSD-2-Clause
// A handler that catches a cancellation and does not throw it again, and a noexcept function that it would leave, end
// the process by abort() (glibc: "FATAL: exception not rethrown"; C++: std::terminate, in the cancelled thread).
#include "cxx.h"

#include <cxxabi.h>
#include <exception>
#include <sys/resource.h>

enum { TERMINATED = 5 };

static sem_t sem;
static atomic_bool entered;
static pthread_t victim;

static void waits()
{
	entered = true;
	sem_wait(&sem);
}

static void *catches_all(void *arg)
{
	try {
		waits();
	} catch (...) {
	}
	return arg;
}

static void *catches_unwind(void *arg)
{
	try {
		waits();
	} catch (abi::__forced_unwind &) {
	}
	return arg;
}

[[gnu::noinline]] static void cannot_throw() noexcept
{
	waits();
}

static void *leaves_noexcept(void *arg)
{
	cannot_throw();
	return arg;
}

static void cancels(void *(*fn)(void *))
{
	const struct rlimit none = { 0, 0 };
	int null = open("/dev/null", O_WRONLY);

	CHECK_OK(setrlimit(RLIMIT_CORE, &none));
	CHECK_EQ(dup2(null, 2), 2);		/* where abort's messages go */
	CHECK_OK(sem_init(&sem, 0, 0));
	victim = spawn(fn, NULL);
	WAIT_FOR(entered);
	CHECK_OK(pthread_cancel(victim));
	join(victim);
}

static void all()
{
	cancels(catches_all);
}

static void unwind()
{
	cancels(catches_unwind);
}

static void none()
{
	cancels(leaves_noexcept);
}

static void terminated()
{
	_exit(pthread_equal(pthread_self(), victim) ? TERMINATED : 0);
}

static void none_handled()
{
	std::set_terminate(terminated);
	cancels(leaves_noexcept);
}

static void check_aborts(void (*fn)())
{
	int status = in_child(fn);

	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGABRT);
}

int main()
{
	check_aborts(all);
	check_aborts(unwind);
	check_aborts(none);

	int status = in_child(none_handled);

	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), TERMINATED);
}
