// SPDX-License-Identifier: BSD-2-Clause
/*
 * The server of Small and Seltzer (1995, section 5.2), a plain pthreads program: of its requests nineteen in twenty
 * are answered from memory, which takes computing, and the twentieth from a disk, which takes about as long as
 * the nineteen.  The disk is a process that serves one request after the other, so that it can be saturated.
 *
 *   database alone REQUESTS     one thread
 *   database workers REQUESTS   eight that take the requests in turn
 *   database forks REQUESTS     a new thread for each request that needs the disk
 *
 * And programs with threads of other kinds, for the other side of the model (upcall-advise(1)):
 *
 *   database talk REQUESTS      a client and a server that wait for each other at each request
 *   database churn REQUESTS     a new thread for each request, one at a time
 *   database direct REQUESTS    sixteen threads that read blocks of a file, past the page cache
 *   database compute REQUESTS   eight threads, all from memory
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "spin.h"

enum {
	HIT_SPINS = 1000000,		/* some 300 us */
	DISK_US = 6000,
	MISS_EVERY = 20,
	WORKERS = 8, READERS = 16, OUTSTANDING = 64,
	BLOCK = 4096, FILE_BLOCKS = 16384,
};

static atomic_int next_request;
static int requests;

/* One for each of those who may ask at once: the disk answers through the asker's own pipe. */
static struct {
	int ask[2], answer[OUTSTANDING][2];
	pid_t process;
} disk;

static void serve_disk(void)
{
	struct timespec service = { 0, DISK_US * 1000 };
	unsigned char who;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(disk.ask[0], &who, 1) == 1) {
		nanosleep(&service, NULL);
		if (write(disk.answer[who][1], &who, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void start_disk(void)
{
	if (pipe(disk.ask))
		die("pipe: %s", strerror(errno));
	for (int i = 0; i < OUTSTANDING; i++)
		if (pipe(disk.answer[i]))
			die("pipe: %s", strerror(errno));
	disk.process = fork();
	if (disk.process < 0)
		die("fork: %s", strerror(errno));
	if (disk.process == 0) {
		close(disk.ask[1]);
		serve_disk();
	}
}

static void stop_disk(void)
{
	close(disk.ask[1]);
	waitpid(disk.process, NULL, 0);
}

static void read_disk(unsigned char who)
{
	if (write(disk.ask[1], &who, 1) != 1 || read(disk.answer[who][0], &who, 1) != 1)
		die("the disk: %s", strerror(errno));
}

static bool is_miss(int request)
{
	return request % MISS_EVERY == MISS_EVERY / 2;
}

static void serve(int request, unsigned char who)
{
	if (is_miss(request))
		read_disk(who);
	else
		spin(HIT_SPINS);
}

static void *work(void *argument)
{
	unsigned char who = (unsigned char)(uintptr_t)argument;

	for (int i; (i = atomic_fetch_add(&next_request, 1)) < requests;)
		serve(i, who);
	return NULL;
}

static void run_threads(int n, void *(*body)(void *))
{
	pthread_t threads[READERS];

	for (int i = 0; i < n; i++)
		must("pthread_create", pthread_create(&threads[i], NULL, body, (void *)(uintptr_t)i));
	for (int i = 0; i < n; i++)
		must("pthread_join", pthread_join(threads[i], NULL));
}

static void run_alone(void)
{
	start_disk();
	work(NULL);
	stop_disk();
}

static void run_workers(void)
{
	start_disk();
	run_threads(WORKERS, work);
	stop_disk();
}

static void *miss(void *argument)
{
	read_disk((unsigned char)(uintptr_t)argument);
	return argument;
}

/* Joined when their turn to be reused comes. */
static void run_forks(void)
{
	pthread_t threads[OUTSTANDING];
	unsigned n = 0;

	start_disk();
	for (int i = 0; i < requests; i++) {
		if (!is_miss(i)) {
			spin(HIT_SPINS);
			continue;
		}
		unsigned who = n++ % OUTSTANDING;

		if (n > OUTSTANDING)
			must("pthread_join", pthread_join(threads[who], NULL));
		must("pthread_create", pthread_create(&threads[who], NULL, miss, (void *)(uintptr_t)who));
	}
	for (unsigned i = n > OUTSTANDING ? n - OUTSTANDING : 0; i < n; i++)
		must("pthread_join", pthread_join(threads[i % OUTSTANDING], NULL));
	stop_disk();
}

static sem_t asked, answered;

static void *answer(void *argument)
{
	for (int i = 0; i < requests; i++) {
		sem_wait(&asked);
		spin(100);
		sem_post(&answered);
	}
	return argument;
}

static void run_talk(void)
{
	pthread_t server;

	sem_init(&asked, 0, 0);
	sem_init(&answered, 0, 0);
	must("pthread_create", pthread_create(&server, NULL, answer, NULL));
	for (int i = 0; i < requests; i++) {
		sem_post(&asked);
		sem_wait(&answered);
	}
	must("pthread_join", pthread_join(server, NULL));
}

static void *spin_shortly(void *argument)
{
	spin(10000);
	return argument;
}

static void run_churn(void)
{
	for (int i = 0; i < requests; i++) {
		pthread_t thread;

		must("pthread_create", pthread_create(&thread, NULL, spin_shortly, NULL));
		must("pthread_join", pthread_join(thread, NULL));
	}
}

static int file;

static void *read_blocks(void *argument)
{
	void *block = aligned_alloc(BLOCK, BLOCK);

	for (int i; (i = atomic_fetch_add(&next_request, 1)) < requests;)
		if (pread(file, block, BLOCK, (off_t)((unsigned)i * 7919u % FILE_BLOCKS) * BLOCK) != BLOCK)
			die("pread: %s", strerror(errno));
	free(block);
	return argument;
}

static void run_direct(void)
{
	char path[] = "database-XXXXXX", block[BLOCK] = { 1 };
	int writer = mkstemp(path);

	file = writer < 0 ? -1 : open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	unlink(path);
	if (file < 0) {
		note("a file of this folder cannot be read past the page cache: %s", strerror(errno));
		exit(EXIT_SKIP);
	}
	for (int i = 0; i < FILE_BLOCKS; i++)
		if (write(writer, block, BLOCK) != BLOCK)
			die("write: %s", strerror(errno));
	fsync(writer);
	run_threads(READERS, read_blocks);
}

static void *compute(void *argument)
{
	while (atomic_fetch_add(&next_request, 1) < requests)
		spin(HIT_SPINS);
	return argument;
}

static void run_compute(void)
{
	run_threads(WORKERS, compute);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} forms[] = {
		{ "alone", run_alone }, { "workers", run_workers }, { "forks", run_forks }, { "talk", run_talk },
		{ "churn", run_churn }, { "direct", run_direct }, { "compute", run_compute },
	};

	requests = argc == 3 ? atoi(argv[2]) : 0;
	for (size_t i = 0; requests > 0 && i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(argv[1], forms[i].name)) {
			forms[i].run();
			return 0;
		}
	die("usage: database alone|workers|forks|talk|churn|direct|compute REQUESTS");
}
