// SPDX-License-Identifier: BSD-2-Clause
// When no memory can be mapped (RLIMIT_AS) pthread_create says EAGAIN, and everything that exists
// goes on: threads lock, wait, sleep and read descriptors they have not waited for before; when
// memory can be had again, so can threads.
#include "stress.h"
#include <sys/resource.h>

#define N 8
#define MORE 200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn, fds[N][2];
static atomic_int begun, ended;

static void *takes_turns(void *arg)
{
	int me = (int)(intptr_t)arg;
	struct timespec t = { .tv_nsec = 1000000 };
	char c;

	begun++;
	CHECK_EQ(read(fds[me][0], &c, 1), 1);
	CHECK_OK(pthread_mutex_lock(&lock));
	while (turn % N != me)
		CHECK_OK(pthread_cond_wait(&cond, &lock));
	turn++;
	CHECK_OK(pthread_cond_broadcast(&cond));
	CHECK_OK(pthread_mutex_unlock(&lock));
	usleep(500);
	raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
	ended++;
	return NULL;
}

static void *waits(void *arg)
{
	CHECK_OK(sem_wait(arg));
	return NULL;
}

static void set_limit(rlim_t bytes)
{
	struct rlimit lim;

	CHECK_OK(getrlimit(RLIMIT_AS, &lim));
	lim.rlim_cur = bytes;
	CHECK_OK(setrlimit(RLIMIT_AS, &lim));
}

static rlim_t mapped(void)
{
	char text[64] = "";
	int fd = open("/proc/self/statm", O_RDONLY);

	CHECK(read(fd, text, sizeof text - 1) > 0);
	close(fd);
	return (rlim_t)strtoul(text, NULL, 10) * 4096;
}

/* As many as can be had, MORE at most; all of them end. */
static int make_and_end(void)
{
	static pthread_t t[MORE];
	int n = 0, err = 0;
	sem_t sem;

	CHECK_OK(sem_init(&sem, 0, 0));
	while (n < MORE && (err = pthread_create(&t[n], NULL, waits, &sem)) == 0)
		n++;
	if (n < MORE)
		CHECK_EQ(err, EAGAIN);
	for (int i = 0; i < n; i++)
		CHECK_OK(sem_post(&sem));
	join_many(t, n);
	return n;
}

int main(int argc, char **argv)
{
	pthread_t t[N];
	int some;

	stress_seed(argc, argv);
	for (int i = 0; i < N; i++)
		CHECK_OK(pipe(fds[i]));
	spawn_many(t, N, takes_turns);
	WAIT_FOR(begun == N);
	set_limit(1 << 20);		/* less than is mapped: nothing more */
	settle();
	for (int i = 0; i < N; i++)
		CHECK_EQ(write(fds[i][1], "x", 1), 1);
	WAIT_FOR(ended == N);
	join_many(t, N);
	make_and_end();			/* warm ones may serve again */
	set_limit(mapped() + (200u << 20));
	some = make_and_end();		/* with 8 MB stacks about twenty-five */
	CHECK(some > 0);
	set_limit(RLIM_INFINITY);
	CHECK_EQ(make_and_end(), MORE);
	printf("%d of %d threads in 200 MB\n", some, MORE);
}
