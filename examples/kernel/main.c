// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: small-threads [auto|sched_ext|bpf|perf [ROUNDS]]
 *
 * Threads of the small package block in the kernel in several ways, and it is checked that others run
 * meanwhile, that they go on afterwards, and that never more of them run than there are vprocs, beyond
 * what one that is back takes to be stopped.  By the kernel's account alone: tests/kernel/small-package.sh.
 */
#include "small.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, SLEEPS = 40, FAULTS = 40, STEPPERS = 5, MIXED = 8, STEPS = 60 };

static atomic_bool is_over;
static atomic_ulong steps, wrong, done, nblocking;	/* of nblocking that block */
static int pipe_fds[2], ring_fds[MIXED][2], fault_fd = -1;
static volatile char *fault_page;
static int rounds = 1;

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "wrong: %s\n", what);
	wrong++;
}

static void check_running(void)
{
	check(small_running <= (int)small_vprocs, "more threads run than there are vprocs");
}

/* Never blocks, and never stops before the others have. */
static void stepper(void *arg)
{
	(void)arg;
	while (!is_over) {
		steps++;
		check_running();
		small_yield();
	}
}

/* Each sleep is a block that nothing announces: a stepper must run meanwhile. */
static void sleeper(void *arg)
{
	(void)arg;
	for (int i = 0; i < rounds * SLEEPS; i++) {
		unsigned long before = steps;
		int n = 0;

		do
			usleep(5000);
		while (steps == before && ++n < 400);
		check(steps != before, "nothing ran while a thread slept");
		small_yield();
	}
	done++;
}

/* Blocks until the other has written, which it could not if the vproc were lost. */
static void reader(void *arg)
{
	char c = 0;

	(void)arg;
	for (int i = 0; i < rounds * SLEEPS; i++) {
		check(read(pipe_fds[0], &c, 1) == 1 && c == (char)i, "what was written is read");
		small_yield();
	}
	done++;
}

static void writer(void *arg)
{
	(void)arg;
	for (int i = 0; i < rounds * SLEEPS; i++) {
		for (int n = 0; n < 10; n++)
			small_yield();
		char c = (char)i;

		check(write(pipe_fds[1], &c, 1) == 1, "write");
	}
	while (done < nblocking)
		small_yield();
	is_over = true;
}

/* A token goes round: each thread reads it from its own pipe and writes it to the next one's. */
static void mixer(void *arg)
{
	long number = (long)arg;
	unsigned token;

	for (int i = 0; i < rounds * STEPS; i++) {
		check(read(ring_fds[number][0], &token, sizeof(token)) == sizeof(token), "read");
		check_running();
		if (token % 7 == 0)
			usleep(token % 3 * 1000);
		token++;
		check(write(ring_fds[(number + 1) % MIXED][1], &token, sizeof(token)) == sizeof(token), "write");
		small_yield();
	}
	done++;
}

/* A page whose faults the next two serve themselves; false where the kernel has none for us. */
static bool open_faults(void)
{
	struct uffdio_api api = { .api = UFFD_API };

	fault_page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = { { (unsigned long)fault_page, PAGE }, UFFDIO_REGISTER_MODE_MISSING, 0 };

	fault_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY, Linux 5.11 */);
	return fault_fd >= 0 && ioctl(fault_fd, UFFDIO_API, &api) == 0 && ioctl(fault_fd, UFFDIO_REGISTER, &range) == 0;
}

/* A page fault, which no call shows: the other must run, or it never ends. */
static void faulter(void *arg)
{
	(void)arg;
	for (int i = 0; i < rounds * FAULTS; i++) {
		*fault_page = 1;
		check(madvise((void *)fault_page, PAGE, MADV_DONTNEED) == 0, "madvise");
		small_yield();
	}
	done++;
}

static void fault_server(void *arg)
{
	struct uffdio_zeropage zero = { { (unsigned long)fault_page, PAGE }, 0, 0 };
	struct uffd_msg message;

	(void)arg;
	for (int i = 0; i < rounds * FAULTS; i++) {
		check(read(fault_fd, &message, sizeof(message)) == sizeof(message), "a fault is told");
		check(ioctl(fault_fd, UFFDIO_ZEROPAGE, &zero) == 0, "a fault is served");
		small_yield();
	}
	done++;
}

/* One that comes to its end only if others run while it blocks. */
static void spawn_blocking(void (*fn)(void *), void *arg)
{
	nblocking++;
	small_spawn(fn, arg);
}

int main(int argc, char **argv)
{
	unsigned first = 1, last = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(100);
	if (argc > 2)
		rounds = atoi(argv[2]);
	const char *wanted = argc > 1 ? argv[1] : "auto", *source = small_start(SMALL_VPROCS, wanted);

	if (!source) {
		printf("skip: source %s is not to be had here\n", wanted);
		return 77;
	}
	printf("source: %s\n", source);
	if (pipe(pipe_fds))
		return 1;
	for (int i = 0; i < STEPPERS; i++)	/* more than vprocs: none is idle */
		small_spawn(stepper, NULL);
	spawn_blocking(sleeper, NULL);
	spawn_blocking(reader, NULL);
	small_spawn(writer, NULL);
	for (long i = 0; i < MIXED; i++) {
		if (pipe(ring_fds[i]))
			return 1;
		spawn_blocking(mixer, (void *)i);
	}
	bool has_faults = open_faults();

	if (has_faults) {
		spawn_blocking(faulter, NULL);
		spawn_blocking(fault_server, NULL);
	}
	check(write(ring_fds[0][1], &first, sizeof(first)) == sizeof(first), "write");
	small_run();
	check(done == nblocking, "all threads have come to their ends");
	check(read(ring_fds[0][0], &last, sizeof(last)) == sizeof(last) && last == 1 + (unsigned)rounds * MIXED * STEPS,
	      "the token went round");
	check(small_blocks >= SLEEPS, "spares took over");
	check(source_overlaps() == 0, "two activations of a vproc ran at a time");
	/* By their CPU time; a virtual machine's includes what it did not get. */
	check(small_late * 10 <= small_blocks, "threads that had blocked ran on beside their vprocs");
	printf("%s; %u vprocs taken over %lu times, %lu steps, %lu threads late\n",
	       has_faults ? "page faults too" : "no userfaultfd here", small_vprocs, (unsigned long)small_blocks,
	       (unsigned long)steps, (unsigned long)small_late);
	return wrong ? 1 : 0;
}
