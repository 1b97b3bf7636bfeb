// SPDX-License-Identifier: BSD-2-Clause
// When main had left by pthread_exit, what it had blocked still counted as blocked by it, and what it had admitted
// was given to it: a signal of the process came to nobody.
#include "../posix/harness.h"

static atomic_int *handled;
static sem_t is_ready, never;
static pthread_t main_thread;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void count(int sig UNUSED)
{
	atomic_fetch_add(handled, 1);
}

static void *admits(void *arg UNUSED)
{
	unblock_signal(SIGUSR1);
	CHECK_OK(sem_post(&is_ready));
	for (;;)
		sem_wait(&never);
}

/* Its own mask changes: what all block is found out anew. */
static void *sees_main_end(void *arg UNUSED)
{
	join(main_thread);
	block_signal(SIGHUP);
	settle();

	pid_t child = fork_watched();

	if (child == 0)
		_exit(kill(getppid(), SIGUSR1));
	CHECK_EQ(waitpid(child, NULL, 0), child);
	WAIT_FOR(*handled == 1);
	exit(0);
}

/* It admits the signal as well; the other waits for a mutex, where no handler can run. */
static void *locks(void *arg UNUSED)
{
	unblock_signal(SIGUSR1);
	CHECK_OK(sem_post(&is_ready));
	CHECK_OK(pthread_mutex_lock(&held));
	return NULL;
}

static void *sees_admitting_main_end(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(&held));
	pthread_t t = spawn(locks, NULL);

	CHECK_OK(sem_post(&is_ready));
	join(main_thread);
	settle();

	pid_t child = fork_watched();

	if (child == 0)
		_exit(kill(getppid(), SIGUSR1));
	CHECK_EQ(waitpid(child, NULL, 0), child);
	settle();
	CHECK_OK(pthread_mutex_unlock(&held));
	WAIT_FOR(*handled == 1);
	join(t);
	exit(0);
}

static void leave_main(void *(*watcher)(void *), void *(*other)(void *))
{
	main_thread = pthread_self();
	CHECK_OK(sem_init(&is_ready, 0, 0));
	CHECK_OK(sem_init(&never, 0, 0));
	block_signal(SIGUSR1);
	spawn(watcher, NULL);
	if (other)
		spawn(other, NULL);
	else
		unblock_signal(SIGUSR1);
	CHECK_OK(sem_wait(&is_ready));
	pthread_exit(NULL);
}

static void blocking_main(void)
{
	leave_main(sees_main_end, admits);
}

static void admitting_main(void)
{
	leave_main(sees_admitting_main_end, NULL);
}

int main(void)
{
	handled = shared_memory(sizeof(*handled));
	on_signal(SIGUSR1, count, SA_RESTART);
	CHECK_EQ(in_child(blocking_main), 0);
	CHECK_EQ(*handled, 1);
	*handled = 0;
	CHECK_EQ(in_child(admitting_main), 0);
	CHECK_EQ(*handled, 1);
}
