// SPDX-License-Identifier: BSD-2-Clause
// Whether a call goes on after handlers is said by the first that interrupts it: not by those that run inside that one
// (as where a collector stops all threads), nor by those that come right after it.
#include "../harness.h"
#include <netinet/in.h>
#include <sys/socket.h>

enum { ROUNDS = 3 };

static sem_t is_stopped, goes_on, usr2_came, never;
static int local[2], p[2], listening;

/* Runs with every signal blocked, and lets only SIGUSR2 in. */
static void stop(int sig UNUSED)
{
	sigset_t but_usr2;
	int saved = errno;

	sigfillset(&but_usr2);
	sigdelset(&but_usr2, SIGUSR2);
	sem_post(&is_stopped);
	sigsuspend(&but_usr2);
	sem_post(&goes_on);
	errno = saved;
}

/* SIGUSR2 comes when this one's mask ends. */
static void follow(int sig UNUSED)
{
	int saved = errno;

	pthread_kill(pthread_self(), SIGUSR2);
	sem_post(&is_stopped);
	errno = saved;
}

static void note(int sig UNUSED)
{
	int saved = errno;

	sem_post(&usr2_came);
	errno = saved;
}

static void *reads_a_socket(void *arg)
{
	char c;

	CHECK_EQ(recv(local[0], &c, 1, 0), 1);
	return arg;
}

static void *reads_a_pipe(void *arg)
{
	char c;

	CHECK_EQ(read(p[0], &c, 1), 1);
	return arg;
}

static void *accepts(void *arg)
{
	int fd = accept(listening, NULL, NULL);

	CHECK(fd >= 0);
	close(fd);
	return arg;
}

static void *waits(void *arg)
{
	CHECK_OK(sem_wait(&never));
	return arg;
}

static void connect_once(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	CHECK_OK(getsockname(listening, (struct sockaddr *)&at, &size));
	CHECK_OK(connect(fd, (struct sockaddr *)&at, size));
	close(fd);
}

static void end_all(void)
{
	CHECK_EQ(write(local[1], "x", 1), 1);
	CHECK_EQ(write(p[1], "x", 1), 1);
	connect_once();
	CHECK_OK(sem_post(&never));
}

static void wait_for(sem_t *s)
{
	while (sem_wait(s))
		CHECK_EQ(errno, EINTR);
}

int main(void)
{
	void *(*const what[])(void *) = { reads_a_socket, reads_a_pipe, accepts, waits };
	struct sigaction act = { .sa_handler = stop, .sa_flags = SA_RESTART };
	pthread_t t[4];

	CHECK_OK(sem_init(&is_stopped, 0, 0));
	CHECK_OK(sem_init(&goes_on, 0, 0));
	CHECK_OK(sem_init(&usr2_came, 0, 0));
	CHECK_OK(sem_init(&never, 0, 0));
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, local));
	CHECK_OK(pipe(p));
	listening = socket(AF_INET, SOCK_STREAM, 0);
	CHECK_OK(listen(listening, 4));
	sigfillset(&act.sa_mask);
	CHECK_OK(sigaction(SIGUSR1, &act, NULL));
	act.sa_handler = follow;
	CHECK_OK(sigaction(SIGHUP, &act, NULL));
	act.sa_handler = note;
	act.sa_flags = 0;
	CHECK_OK(sigaction(SIGUSR2, &act, NULL));
	for (int i = 0; i < 4; i++)
		t[i] = spawn(what[i], NULL);
	settle();
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < 4; i++) {
			CHECK_OK(pthread_kill(t[i], SIGUSR1));
			wait_for(&is_stopped);
			CHECK_OK(pthread_kill(t[i], SIGUSR2));
			wait_for(&usr2_came);
			wait_for(&goes_on);
			sleep_ms(1);
			CHECK_OK(pthread_kill(t[i], SIGHUP));
			wait_for(&is_stopped);
			wait_for(&usr2_came);		/* else the next SIGUSR1's handler gets this SIGUSR2 */
			sleep_ms(1);
		}
	end_all();
	join_many(t, 4);
}
