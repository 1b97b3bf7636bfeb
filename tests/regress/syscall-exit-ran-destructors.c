// SPDX-License-Identifier: BSD-2-Clause
// The system call exit ends the calling thread, and runs nothing of what pthread_exit does; the kernel tells who waits
// for a robust mutex.  So it ends main; and when the others have ended, too, the process ends with no exit.
#include "../posix/harness.h"
#include <sys/fsuid.h>

extern int __cxa_thread_atexit_impl(void (*fn)(void *), void *arg, void *dso);
extern void *__dso_handle;

static pthread_key_t key;
static pthread_mutex_t robust;
static atomic_int ran;

static void runs(void *arg UNUSED)
{
	ran++;
}

static void *leaves(void *arg)
{
	CHECK_OK(pthread_setspecific(key, &key));
	CHECK_OK(__cxa_thread_atexit_impl(runs, NULL, &__dso_handle));
	if (arg)
		CHECK_OK(pthread_mutex_lock(&robust));
	pthread_cleanup_push(runs, NULL);
	if (arg)	/* bound or not */
		sleep_ms(20);
	syscall(SYS_exit, 1);
	pthread_cleanup_pop(0);
	return &ran;
}

static void *binds_and_leaves(void *arg)
{
	cpu_set_t one = one_cpu();

	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof one, &one));
	return leaves(arg);
}

static void *leaves_from_a_handler(void *arg)
{
	raise(SIGUSR1);
	return arg;
}

static void on_usr1(int sig UNUSED)
{
	syscall(SYS_exit, 0);
}

static void at_exit(void)
{
	ran++;
	_exit(9);
}

static void *ends_last(void *arg)
{
	settle();
	CHECK_EQ(ran, 0);
	return arg;
}

static void main_leaves(void)
{
	atexit(at_exit);
	CHECK_OK(pthread_setspecific(key, &key));
	spawn(ends_last, NULL);
	syscall(SYS_exit, 0);	/* else the code is main's or the last one's: that is the kernel's word */
}

static void main_leaves_alone(void)
{
	atexit(at_exit);
	join(spawn(nothing, NULL));
	syscall(SYS_exit, 4);
}

static void *makes_and_leaves(void *arg)
{
	CHECK_OK(pthread_detach(pthread_self()));
	syscall(SYS_exit, 0);
	return arg;
}

static void others_leave(void)
{
	atexit(at_exit);
	spawn(makes_and_leaves, NULL);
	spawn(ends_last, NULL);
	pthread_exit(NULL);
}

static void *makes_libcs(void *arg)
{
	int me = setfsuid(geteuid());	/* it sets nothing that was not so; the threads that it makes are libc's all the same */

	CHECK_EQ(me, (int)geteuid());
	spawn(ends_last, NULL);
	return arg;
}

static void libcs_ends_last(void)
{
	atexit(at_exit);
	spawn(makes_and_leaves, NULL);
	spawn(makes_libcs, NULL);
	pthread_exit(NULL);
}

static void child_ends(void (*fn)(void), int code)
{
	int status = in_child(fn);

	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), code);
}

int main(void)
{
	pthread_mutexattr_t a;

	CHECK_OK(pthread_key_create(&key, runs));
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutex_init(&robust, &a));
	on_signal(SIGUSR1, on_usr1, 0);
	child_ends(main_leaves, 0);
	child_ends(main_leaves_alone, 4);
	child_ends(others_leave, 0);
	child_ends(libcs_ends_last, 0);
	join(spawn(leaves, &key));
	CHECK_EQ(pthread_mutex_lock(&robust), EOWNERDEAD);
	CHECK_OK(pthread_mutex_consistent(&robust));
	CHECK_OK(pthread_mutex_unlock(&robust));
	CHECK_EQ(ran, 0);
	join(spawn(binds_and_leaves, &key));
	CHECK_EQ(pthread_mutex_lock(&robust), EOWNERDEAD);
	CHECK_EQ(ran, 0);
	join(spawn(leaves_from_a_handler, NULL));
	CHECK_EQ(ran, 0);
	return 0;
}
