// SPDX-License-Identifier: BSD-2-Clause
/*
 * How long a thread that waits for something is kept waiting beside threads that compute, two for each processor:
 *
 *   sleep   it sleeps for a millisecond: how late it runs
 *   echo    it asks another thread by a socket, every millisecond: until it has the answer
 *   client  another process asks it, every millisecond: until that one has the answer
 *   yield   it yields, every millisecond: until it goes on
 *
 * And beside nobody but its creator, who computes on:
 *
 *   spawn   a thread is made, every millisecond: until it runs
 *
 * And beside others that spin, with `pause`, one for each processor:
 *
 *   spin    it hands a number to the first of them, that one to the next, each spinning until it has it: until it
 *           is back, for each of them
 *
 * `compute` is what the others do meanwhile; of spin's, how often the number went round.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "spin.h"

enum { UNIT_STEPS = 10000, PAUSE_NS = 1000000, SAMPLES_MAX = 1 << 16, COMPUTING_MAX = 512, FOR_EACH_CPU = 2 };

static struct counts {
	volatile uint64_t units;
	uint64_t seed;
} __attribute__((aligned(128))) counts[COMPUTING_MAX];

static uint64_t samples[SAMPLES_MAX];
static int ends[2];

static void compute(struct counts *c)
{
	uint64_t x = c->seed;

	for (int i = 0; i < UNIT_STEPS; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	c->seed = x;
	c->units++;
}

static void *keep_computing(void *argument)
{
	for (;;)
		compute(argument);
	return NULL;
}

static void *keep_answering(void *argument)
{
	char c;

	while (read(ends[1], &c, 1) == 1)
		if (write(ends[1], &c, 1) != 1)
			die("write: %s", strerror(errno));
	return argument;
}

static uint64_t ask(void)
{
	uint64_t t_start = now_ns();
	char c = 0;

	if (write(ends[0], &c, 1) != 1 || read(ends[0], &c, 1) != 1)
		die("no answer: %s", strerror(errno));
	return now_ns() - t_start;
}

static uint64_t pause_for_a_while(void)
{
	struct timespec t = { 0, PAUSE_NS };
	uint64_t t_due = now_ns() + PAUSE_NS;

	nanosleep(&t, NULL);
	uint64_t now = now_ns();

	return now > t_due ? now - t_due : 0;
}

static void *note_start(void *argument)
{
	__atomic_store_n((uint64_t *)argument, now_ns(), __ATOMIC_RELEASE);
	return NULL;
}

static uint64_t spawn(void)
{
	uint64_t t_start = now_ns(), t_runs = 0;
	pthread_t t;

	must("pthread_create", pthread_create(&t, NULL, note_start, &t_runs));
	while (!__atomic_load_n(&t_runs, __ATOMIC_ACQUIRE))
		compute(&counts[0]);
	must("pthread_join", pthread_join(t, NULL));
	return t_runs - t_start;
}

static uint64_t yield(void)
{
	uint64_t t_start = now_ns();

	sched_yield();
	return now_ns() - t_start;
}

static unsigned holder, spinners;	/* main is 0 */

static void hand_on(unsigned me)
{
	while (__atomic_load_n(&holder, __ATOMIC_ACQUIRE) != me)
		spin_pause();
	__atomic_store_n(&holder, (me + 1) % (spinners + 1), __ATOMIC_RELEASE);
}

static void *keep_handing_on(void *argument)
{
	for (;;)
		hand_on((unsigned)(uintptr_t)argument);
	return NULL;
}

/* The number is main's again when it has been round. */
static uint64_t hand_round(void)
{
	uint64_t t_start = now_ns();

	hand_on(0);
	while (__atomic_load_n(&holder, __ATOMIC_ACQUIRE))
		spin_pause();
	counts[0].units++;
	return (now_ns() - t_start) / (spinners + 1);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void put_samples(unsigned n)
{
	qsort(samples, n, sizeof(samples[0]), compare);
	put("p50", (double)samples[n / 2] / 1e3, "us");
	put("p99", (double)samples[n - 1 - n / 100] / 1e3, "us");
}

enum { SLEEP, ECHO, CLIENT, YIELD, SPAWN, SPIN, CASES };
static const char *const names[CASES] = { "sleep", "echo", "client", "yield", "spawn", "spin" };

static uint64_t sample_one(int what)
{
	if (what == SPIN)
		return hand_round();
	uint64_t late_ns = pause_for_a_while();

	return what == SLEEP ? late_ns : what == SPAWN ? spawn() : what == YIELD ? yield() : ask();
}

static unsigned sample(uint64_t length_ns, int what)
{
	uint64_t t_end = now_ns() + length_ns;
	unsigned n = 0;

	while (n < SAMPLES_MAX && (now_ns() < t_end || !n))
		samples[n++] = sample_one(what);
	return n;
}

/* Another process asks, which is there before there are threads, and begins when it is told to. */
static pid_t start_client(uint64_t length_ns, int results)
{
	char c;
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid > 0)
		return pid;
	close(ends[1]);
	if (read(ends[0], &c, 1) != 1)
		exit(1);
	unsigned n = sample(length_ns, CLIENT);
	size_t bytes = n * sizeof(samples[0]), at = 0;

	while (at < bytes) {
		ssize_t more = write(results, (char *)samples + at, bytes - at);

		if (more <= 0)
			exit(1);
		at += (size_t)more;
	}
	exit(0);
}

static unsigned receive(int results)
{
	size_t at = 0;
	ssize_t more;

	while (at < sizeof(samples) && (more = read(results, (char *)samples + at, sizeof(samples) - at)) > 0)
		at += (size_t)more;
	if (at < sizeof(samples[0]))
		die("the client ended before it was done");
	return (unsigned)(at / sizeof(samples[0]));
}

static unsigned count_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

static unsigned start_spinning(void)
{
	pthread_t t;

	spinners = count_cpus();
	for (uintptr_t i = 1; i <= spinners; i++)
		must("pthread_create", pthread_create(&t, NULL, keep_handing_on, (void *)i));
	return 1;
}

static unsigned start_computing(void)
{
	unsigned n = count_cpus() * FOR_EACH_CPU;
	pthread_t t;

	n = n < COMPUTING_MAX ? n : COMPUTING_MAX;
	for (unsigned i = 0; i < n; i++)
		must("pthread_create", pthread_create(&t, NULL, keep_computing, &counts[i]));
	return n;
}

static uint64_t units(unsigned n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += counts[i].units;
	return sum;
}

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);
	int what = 0, results[2];
	pid_t pid = 0;
	pthread_t t;

	while (what < CASES && strcmp(args.name, names[what]))
		what++;
	if (what == CASES)
		die("no case '%s'", args.name);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pipe(results))
		die("%s", strerror(errno));
	if (what == CLIENT)
		pid = start_client(args.length_ns, results[1]);
	close(results[1]);
	must("pthread_create", pthread_create(&t, NULL, keep_answering, NULL));
	unsigned n = what == SPAWN ? 1 : what == SPIN ? start_spinning() : start_computing();

	sample(args.length_ns / 4 + 100000000, SLEEP);	/* until they are known as what they are */
	uint64_t t_start = now_ns(), before = units(n);

	if (what == CLIENT && write(ends[1], "", 1) != 1)
		die("write: %s", strerror(errno));
	unsigned taken = what == CLIENT ? receive(results[0]) : sample(args.length_ns, what);
	double s = (double)(now_ns() - t_start) / 1e9, computed = (double)(units(n) - before);

	if (what == CLIENT)
		waitpid(pid, NULL, 0);
	put_samples(taken);
	put("compute", computed / s, "units/s");
	exit(0);
}
