// SPDX-License-Identifier: BSD-2-Clause
/*
 * The measurements of Anderson, Bershad, Lazowska and Levy, "Scheduler activations" (1991), section 5:
 *
 *   null-fork    a thread (or process) that does nothing is made and waited for
 *   signal-wait  one signals another, which waits, and waits itself: half a round
 *   upcall       the same through the kernel, by system calls that no library sees
 *   nbody-M      see nbody.c
 *
 * The paper's figures stand beside ours: Ultrix processes beside processes, Topaz threads beside glibc's,
 * FastThreads on Topaz threads beside Upcall without upcalls, and on scheduler activations beside Upcall.  They
 * are of a Firefly (6 CVAX processors, about 3 MIPS each).  Its figures 1 and 2, the N-body program by processors
 * and by memory, are curves without numbers.
 */
#include "activations.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/arch/arch.h"

enum { ROUNDS = 64 };

static bool has_processes;
static atomic_bool is_over;

/* Its operations may cost so much more than those of threads that the kernel tells nothing. */
static const double dearer_at_most = 1.15;

void paper_1991(const struct bench_args *args, const char *metric, struct in_1991 values, const char *unit)
{
	const struct {
		const char *system, *whose;
		double value;
	} systems[] = {
		{ "process", "Ultrix processes", values.ultrix_processes },
		{ "glibc", "Topaz threads", values.topaz_threads },
		{ "upcall-none", "FastThreads on Topaz threads", values.old_fastthreads },
		{ "upcall", "FastThreads on activations", values.new_fastthreads },
	};

	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		if (!strcmp(args->system, systems[i].system) && systems[i].value > 0)
			paper(metric, systems[i].value, unit, systems[i].whose);
}

/* After an operation's figure. */
static void compare_operation(const struct bench_args *args, struct in_1991 values_ns)
{
	paper_1991(args, "-", values_ns, "ns");
	if (!strcmp(args->system, "upcall"))
		bound_of("-", dearer_at_most, "ns", "upcall-none");
}

static void put_each(uint64_t length_ns, void (*rounds)(void), unsigned n)
{
	rounds();
	uint64_t t_start = now_ns(), elapsed, count = 0;

	do {
		rounds();
		count += n;
		elapsed = now_ns() - t_start;
	} while (elapsed < length_ns);
	put("-", (double)elapsed / (double)count, "ns");
}

static void *nothing(void *argument)
{
	return argument;
}

static void fork_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < ROUNDS; i++) {
		must("pthread_create", pthread_create(&thread, NULL, nothing, NULL));
		must("pthread_join", pthread_join(thread, NULL));
	}
}

static void fork_processes(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			die("fork: %s", strerror(errno));
	}
}

static void measure_null_fork(const struct bench_args *args)
{
	put_each(args->length_ns, has_processes ? fork_processes : fork_threads, ROUNDS);
	compare_operation(args, (struct in_1991){ 11300e3, 948e3, 34e3, 37e3 });
}

/* Whose turn it is, and a condition for each. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t is_ours[2];
	int turn;
} turns = { PTHREAD_MUTEX_INITIALIZER, { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER }, 0 };

static void signal_and_wait(int me)
{
	pthread_mutex_lock(&turns.lock);
	while (turns.turn != me && !atomic_load(&is_over))
		pthread_cond_wait(&turns.is_ours[me], &turns.lock);
	turns.turn = !me;
	pthread_cond_signal(&turns.is_ours[!me]);
	pthread_mutex_unlock(&turns.lock);
}

/* Raw system calls: nothing tells a library that they block. */
static int pipes[2][2];

static void write_and_read(int me)
{
	char byte = 0;

	if (me && arch_syscall3(SYS_read, pipes[1][0], (long)&byte, 1) != 1)
		die("read from a pipe");
	if (arch_syscall3(SYS_write, pipes[!me][1], (long)&byte, 1) != 1)
		die("write to a pipe");
	if (!me && arch_syscall3(SYS_read, pipes[0][0], (long)&byte, 1) != 1)
		die("read from a pipe");
}

static void (*take_turn)(int me);

static void *partner(void *argument)
{
	while (!atomic_load(&is_over))
		take_turn(1);
	return argument;
}

static void signal_rounds(void)
{
	for (int i = 0; i < ROUNDS; i++)
		take_turn(0);
}

/* Each round is two signals, one from either. */
static void measure_threads(const struct bench_args *args)
{
	pthread_t other;

	must("pthread_create", pthread_create(&other, NULL, partner, NULL));
	put_each(args->length_ns, signal_rounds, 2 * ROUNDS);
	atomic_store(&is_over, true);
	if (take_turn == write_and_read) {
		char byte = 0;

		if (write(pipes[1][1], &byte, 1) != 1)
			die("write: %s", strerror(errno));
	} else {
		signal_and_wait(0);
	}
	must("pthread_join", pthread_join(other, NULL));
}

static void measure_processes(const struct bench_args *args)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			take_turn(1);
	}
	put_each(args->length_ns, signal_rounds, 2 * ROUNDS);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void open_pipes(void)
{
	if (pipe(pipes[0]) || pipe(pipes[1]))
		die("pipe: %s", strerror(errno));
	take_turn = write_and_read;
}

static void measure_signal_wait(const struct bench_args *args)
{
	take_turn = signal_and_wait;
	if (has_processes) {
		open_pipes();
		measure_processes(args);
	} else {
		measure_threads(args);
	}
	compare_operation(args, (struct in_1991){ 1840e3, 441e3, 37e3, 42e3 });
}

/* The paper's upcalls were not tuned, it says. */
static void measure_upcall(const struct bench_args *args)
{
	if (!strcmp(args->system, "upcall-none")) {
		note("the processor would be lost for ever");
		exit(EXIT_SKIP);
	}
	open_pipes();
	measure_threads(args);
	paper_1991(args, "-", (struct in_1991){ .topaz_threads = 441e3, .new_fastthreads = 2400e3 }, "ns");
}

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);
	unsigned percent;

	has_processes = !strcmp(args.system, "process");
	if (!strcmp(args.name, "null-fork"))
		measure_null_fork(&args);
	else if (!strcmp(args.name, "signal-wait"))
		measure_signal_wait(&args);
	else if (!strcmp(args.name, "upcall"))
		measure_upcall(&args);
	else if (!strcmp(args.name, "nbody-two"))
		measure_nbody(&args, 100, true);
	else if (!strncmp(args.name, "nbody-", 6) && (percent = (unsigned)strtoul(args.name + 6, NULL, 10)) != 0)
		measure_nbody(&args, percent, false);
	else
		die("no case '%s'", args.name);
	return 0;
}
