// SPDX-License-Identifier: BSD-2-Clause
// Threads block in the kernel in ways that no library call shows (flock, FIFO opens, futexes and
// sleeps by inline system call, page faults on pages written out) while others compute: the
// computing threads get on all the time, and every blocked thread comes back.
#include "faults.h"
#include <linux/futex.h>
#include <sys/file.h>

#define BLOCKERS 10
#define COMPUTERS 2
#define ROUNDS 200
#define FILE_PAGES 256
#define FAULTS_MAX 20000

static atomic_ulong progress[COMPUTERS];
static atomic_int blocks[5], futex_word, computing;
static atomic_bool stop;
static char lock_path[64], fifo_path[64];

static void raw_sleep(uint64_t *r)
{
	struct timespec t = { .tv_nsec = (long)(1 + pick(r, 3)) * 1000000 };

	raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
}

static void raw_futex(uint64_t *r)
{
	struct timespec t = { .tv_nsec = (long)(1 + pick(r, 3)) * 1000000 };
	int seen = futex_word;

	raw_syscall(SYS_futex, (long)&futex_word, FUTEX_WAIT, seen, (long)&t);
	futex_word++;
	raw_syscall(SYS_futex, (long)&futex_word, FUTEX_WAKE, INT_MAX, 0);
}

static void with_flock(uint64_t *r)
{
	int fd = open(lock_path, O_RDWR);

	CHECK(fd >= 0);
	while (flock(fd, LOCK_EX) == -1)
		CHECK_EQ(errno, EINTR);
	if (pick(r, 2))
		raw_sleep(r);
	CHECK_OK(close(fd));
}

/* Both ends are opened by a pair of threads each, so one of them waits. */
static void *fifo_reader(void *arg UNUSED)
{
	int fd = open(fifo_path, O_RDONLY);
	char c;

	CHECK(fd >= 0);
	while (read(fd, &c, 1) > 0)
		;
	CHECK_OK(close(fd));
	return NULL;
}

static void with_fifo(uint64_t *r)
{
	pthread_t t = spawn(fifo_reader, NULL);
	int fd;

	dawdle(r);
	fd = open(fifo_path, O_WRONLY);
	CHECK(fd >= 0);
	CHECK_OK(close(fd));
	join(t);
}

static void with_fault(uint64_t *r)
{
	if (fault_path[0])
		fault_at((int)pick(r, FILE_PAGES));
	else
		raw_sleep(r);
}

static void (*const kinds[5])(uint64_t *) = { raw_sleep, raw_futex, with_flock, with_fifo,
					      with_fault };

static void *blocker(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	for (int i = 0; i < ROUNDS; i++) {
		int k = (int)pick(&r, 5);

		/* One thread's FIFO partners must not pair with another's: only one uses it. */
		if (k == 3 && arg != NULL)
			k = 0;
		kinds[k](&r);
		blocks[k]++;
	}
	return NULL;
}

static void *computer(void *arg)
{
	atomic_ulong *mine = &progress[(intptr_t)arg];

	computing++;
	while (!stop) {
		for (volatile int i = 0; i < 2000; i++)
			;
		(*mine)++;
	}
	return NULL;
}

static void make_files(void)
{
	strcpy(lock_path, fresh_path());
	CHECK_OK(close(open(lock_path, O_RDWR | O_CREAT, 0600)));
	strcpy(fifo_path, fresh_path());
	CHECK_OK(mkfifo(fifo_path, 0600));
	make_fault_file(FILE_PAGES);
}

static void *faulter(void *arg)
{
	for (int at = 0; at < FILE_PAGES; at++)
		fault_at(at);
	return arg;
}

/*
 * Nothing but faults, one at a time, beside those that compute: each is one, and the runtime is told of some.  Most are
 * over before it has looked, where the disk is fast.
 */
static void only_faults(void)
{
	long faults = major_faults(), told = blocks_told(), n = 0;

	if (!fault_path[0])
		return;
	do {
		join(spawn(faulter, NULL));
		n += FILE_PAGES;
	} while (blocks_told() == told && told >= 0 && n < FAULTS_MAX);
	check_faults(n, faults);
	if (told >= 0)
		CHECK(blocks_told() > told);
}

int main(int argc, char **argv)
{
	pthread_t b[BLOCKERS], c[COMPUTERS];
	unsigned long before[COMPUTERS];
	long faults;

	stay_unbound(argv);
	stress_seed(argc, argv);
	make_files();
	spawn_many(c, COMPUTERS, computer);
	WAIT_FOR(computing == COMPUTERS);
	only_faults();
	faults = major_faults();
	for (int i = 0; i < COMPUTERS; i++)
		before[i] = progress[i];
	spawn_many(b, BLOCKERS, blocker);
	join_many(b, BLOCKERS);
	for (int i = 0; i < COMPUTERS; i++)
		CHECK(progress[i] > before[i]);
	stop = true;
	join_many(c, COMPUTERS);
	unlink(lock_path);
	unlink(fifo_path);
	check_faults(blocks[4], faults);
	unlink(fault_path);
	printf("sleeps %d futexes %d flocks %d fifos %d faults %d\n", blocks[0], blocks[1],
	       blocks[2], blocks[3], blocks[4]);
}
