// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tables 1 to 5 of Small and Seltzer's "Scheduler Activations on BSD" (1995), whose library was Myth:
 * made once with <upcall/myth.h>, and once with the same calls over pthreads.
 *
 *   table-1	locks: ours, a byte of a file by fcntl, and one that is in the kernel (an eventfd)
 *   table-2	what is in them: a call, a system call, and a critical section against interrupts (there
 *		the processor's, here signals)
 *   table-3	a thread against a process that shares memory and files (sfork, here clone), and a copy
 *   table-4	a yield against switches between processes, by lmbench's way: a token goes around a ring
 *		of pipes, less what a pipe costs without a switch
 *   table-5	a signal to oneself, and signal 0: the difference was the paper's estimate of an upcall
 *		(`upcall bench upcalls` has the upcalls themselves)
 *   start	the first thread, and how large the library is
 *
 * What the kernel does is measured before the first thread.  Where the paper says how many times
 * cheaper threads are, so does this; less than once would be an error (report.c of the command).
 */
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#ifdef NATIVE
#include <upcall/myth.h>
#else
#include <pthread.h>

typedef pthread_t th_t;
typedef pthread_mutex_t th_mutex_t;
#define th_init(mp) 0
#define th_yield() ((void)sched_yield())
#define th_self pthread_self
#define th_mutex_init(m) pthread_mutex_init((m), NULL)
#define th_mutex_lock pthread_mutex_lock
#define th_mutex_unlock pthread_mutex_unlock

static th_t th_fork(void *(*func)(void *), void *arg)
{
	th_t t;

	return pthread_create(&t, NULL, func, arg) ? 0 : t;
}

static void *th_join(th_t t)
{
	void *value = NULL;

	pthread_join(t, &value);
	return value;
}
#endif

enum { ROUNDS = 64, RING_MAX = 20, STACK_BYTES = 16384 };

static uint64_t length_ns;
static bool is_ours;

static double time_each(void (*operations)(void), unsigned n)
{
	return time_of(operations, n, length_ns);
}

/* An operation of threads: the paper's stands beside ours only, not beside glibc's. */
static void put_thread(const char *metric, double ns, double paper_us)
{
	put(metric, ns, "ns");
	if (is_ours)
		paper(metric, paper_us * 1e3, "ns", "Myth");
}

static void put_kernel(const char *metric, double ns, double paper_us)
{
	put(metric, ns, "ns");
	paper(metric, paper_us * 1e3, "ns", "BSD/386");
}

static void put_times(const char *metric, double kernel_ns, double thread_ns, double paper_times)
{
	put(metric, kernel_ns / thread_ns, "x");
	if (is_ours)
		paper(metric, paper_times, "x", "Myth");
}

static void check(const char *what, bool is_right)
{
	if (!is_right)
		die("%s failed", what);
}

/* A second thread that sleeps: a C library may do without locked instructions for a lone one. */
static th_mutex_t held;
static th_t companion;

static void *wait_for_end(void *arg)
{
	th_mutex_lock(&held);
	th_mutex_unlock(&held);
	return arg;
}

static void start_companion(void)
{
	check("th_init", th_init(1) == 0);
	check("th_mutex_init", th_mutex_init(&held) == 0);
	th_mutex_lock(&held);
	companion = th_fork(wait_for_end, &held);
	check("th_fork", companion != 0);
	th_yield();
}

static void end_companion(void)
{
	th_mutex_unlock(&held);
	check("th_join", th_join(companion) == &held);
}

/* Table 1. */
static th_mutex_t lock;
static int file, event;
static uint64_t guarded;

static void locks(void)
{
	for (int i = 0; i < 1024; i++) {
		th_mutex_lock(&lock);
		guarded++;
		th_mutex_unlock(&lock);
	}
}

static void file_lock(short type)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };

	check("fcntl", fcntl(file, F_SETLKW, &l) == 0);
}

static void file_locks(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		file_lock(F_WRLCK);
		file_lock(F_UNLCK);
	}
}

static void kernel_locks(void)
{
	uint64_t one = 1;

	for (int i = 0; i < ROUNDS; i++) {
		check("read of an eventfd", read(event, &one, sizeof(one)) == sizeof(one));
		check("write to an eventfd", write(event, &one, sizeof(one)) == sizeof(one));
	}
}

static void table_1(void)
{
	FILE *f = tmpfile();

	check("tmpfile", f != NULL);
	file = fileno(f);
	check("eventfd", (event = eventfd(1, EFD_SEMAPHORE)) >= 0);
	double of_file = time_each(file_locks, ROUNDS), of_kernel = time_each(kernel_locks, ROUNDS);

	start_companion();
	check("th_mutex_init", th_mutex_init(&lock) == 0);
	double ours = time_each(locks, 1024);

	check("counting under the lock", guarded && guarded % 1024 == 0);
	end_companion();
	put_thread("lock", ours, 4.1);
	put_kernel("fcntl-lock", of_file, 88.5);
	put_kernel("kernel-lock", of_kernel, 45.5);
	put_times("fcntl-lock/lock", of_file, ours, 20);
	put_times("kernel-lock/lock", of_kernel, ours, 11);
}

/* Table 2. */
__attribute__((noinline)) static void *null_function(void *arg)
{
	__asm__ volatile("" : "+r"(arg));
	return arg;
}

static void null_functions(void)
{
	for (int i = 0; i < 1024; i++)
		null_function(&lock);
}

static void null_syscalls(void)
{
	for (int i = 0; i < 1024; i++)
		syscall(SYS_getppid);
}

static void signal_masks(void)
{
	sigset_t all, old;

	sigfillset(&all);
	for (int i = 0; i < 1024; i++) {
		sigprocmask(SIG_BLOCK, &all, &old);
		sigprocmask(SIG_SETMASK, &old, NULL);
	}
}

static void table_2(void)
{
	start_companion();
	put_kernel("null-function", time_each(null_functions, 1024), 0.3);
	put_kernel("null-syscall", time_each(null_syscalls, 1024), 6.9);
	put_kernel("mask-signals", time_each(signal_masks, 1024), 24.5);
	end_companion();
}

/* Table 3. */
static void *nothing(void *arg)
{
	return arg;
}

static void forks_of_threads(void)
{
	for (int i = 0; i < 16; i++) {
		th_t t = th_fork(nothing, &lock);

		check("th_fork", t != 0);
		check("th_join", th_join(t) == &lock);
	}
}

static void wait_for(pid_t pid)
{
	int status;

	check("a new process", pid > 0);
	check("waitpid", waitpid(pid, &status, 0) == pid && status == 0);
}

static int end_at_once(void *arg)
{
	(void)arg;
	return 0;
}

static void shared_process(void)
{
	static char stack[STACK_BYTES] __attribute__((aligned(16)));

	wait_for(clone(end_at_once, stack + sizeof(stack),
		       CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD, NULL));
}

static void copied_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	wait_for(pid);
}

/* By pointer: the compiler would call once. */
static void selves(void)
{
	static th_t (*volatile self)(void) = th_self;

	for (int i = 0; i < 1024; i++)
		self();
}

static void table_3(void)
{
	double of_shared = time_each(shared_process, 1), of_copied = time_each(copied_process, 1);

	check("th_init", th_init(1) == 0);
	double ours = time_each(forks_of_threads, 16);

	put_thread("thread", ours, 102.8);
	put_kernel("sfork", of_shared, 2076);
	put_kernel("fork", of_copied, 8470);
	put_thread("self", time_each(selves, 1024), 0.79);
	put_times("sfork/thread", of_shared, ours, 20);
	put_times("fork/thread", of_copied, ours, 80);
}

/* Table 4. */
static volatile bool is_over;
static uint64_t yields_of_main, yields_of_other;

static void *yield_until_over(void *arg)
{
	while (!is_over) {
		th_yield();
		yields_of_other++;
	}
	return arg;
}

static void yields(void)
{
	for (int i = 0; i < 256; i++)
		th_yield();
	yields_of_main += 256;
}

/* The other thread yields as often as main does. */
static double time_yield(void)
{
	check("th_init", th_init(1) == 0);
	th_t other = th_fork(yield_until_over, &lock);

	check("th_fork", other != 0);
	double ns = time_each(yields, 2 * 256);

	is_over = true;
	check("th_join", th_join(other) == &lock);
	check("yielding in turn", yields_of_other > yields_of_main / 2);
	return ns;
}

static int pipes[RING_MAX][2], ring_size;

static void pass(int from, int to, char *token)
{
	check("a pipe", read(pipes[from][0], token, 1) == 1 && write(pipes[to][1], token, 1) == 1);
}

/* A token of 0 ends the ring. */
static void member(int i)
{
	char token = 1;

	while (token)
		pass(i - 1, i, &token);
	_exit(0);
}

static void rounds_of_ring(void)
{
	char token = 1;

	for (int i = 0; i < ROUNDS; i++)
		check("a pipe", write(pipes[0][1], &token, 1) == 1 &&
		      read(pipes[ring_size - 1][0], &token, 1) == 1);
}

/* With a ring of one, what a pipe costs without a switch. */
static double time_ring(int n)
{
	char end = 0;

	ring_size = n;
	for (int i = 0; i < n; i++)
		check("pipe", pipe(pipes[i]) == 0);
	for (int i = 1; i < n; i++) {
		pid_t pid = fork();

		check("fork", pid >= 0);
		if (pid == 0)
			member(i);
	}
	double ns = time_each(rounds_of_ring, ROUNDS * (unsigned)n);

	check("a pipe", write(pipes[0][1], &end, 1) == 1);
	for (int i = 1; i < n; i++)
		check("wait", wait(NULL) > 0);
	for (int i = 0; i < n; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
	return ns;
}

static void table_4(void)
{
	static const struct {
		int n;
		double paper_us;
	} rings[] = { { 2, 105.7 }, { 4, 131.6 }, { 8, 148.2 }, { 16, 158.1 }, { 20, 162.9 } };
	enum { RINGS = sizeof(rings) / sizeof(rings[0]) };
	double pipe_ns = time_ring(1), ns[RINGS], again_ns;
	char metric[32];

	for (int i = 0; i < RINGS; i++)
		ns[i] = time_ring(rings[i].n);
	/* The least, at two moments: beside other programs one can have been so slow that switches cost less than nothing. */
	again_ns = time_ring(1);
	for (int i = 0; i < RINGS; i++)
		ns[i] -= again_ns < pipe_ns ? again_ns : pipe_ns;
	double ours = time_yield();

	put_thread("yield", ours, 7.8);
	for (int i = 0; i < RINGS; i++) {
		snprintf(metric, sizeof(metric), "switch-%d", rings[i].n);
		put_kernel(metric, ns[i], rings[i].paper_us);
	}
	put_times("switch-2/yield", ns[0], ours, 13);
	put_times("switch-20/yield", ns[RINGS - 1], ours, 20);
}

/* Table 5. */
static volatile uint64_t handled;

static void count_signal(int number)
{
	(void)number;
	handled++;
}

static void signals(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t before = handled;

		kill(getpid(), SIGUSR1);
		while (handled == before)
			;
	}
}

static void zero_signals(void)
{
	for (int i = 0; i < ROUNDS; i++)
		check("kill", kill(getpid(), 0) == 0);
}

static void table_5(void)
{
	struct sigaction action = { .sa_handler = count_signal };

	sigaction(SIGUSR1, &action, NULL);
	start_companion();
	double full = time_each(signals, ROUNDS), none = time_each(zero_signals, ROUNDS);

	end_companion();
	put_kernel("signal", full, 126.7);
	put_kernel("signal-0", none, 10.8);
	put_kernel("upcall-estimate", full - none, 115.9);
}

/* The start. */
static int add_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	double *bytes = arg;

	(void)size;
	for (int i = 0; strstr(info->dlpi_name, "libupcall") && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			*bytes += (double)info->dlpi_phdr[i].p_filesz;
	return 0;
}

static void start(void)
{
	double bytes = 0;
	uint64_t t_start = now_ns();

	check("th_init", th_init(1) == 0);
	th_t t = th_fork(nothing, &lock);

	check("th_fork", t != 0);
	check("th_join", th_join(t) == &lock);
	put_thread("first-thread", (double)(now_ns() - t_start), 11000);
	dl_iterate_phdr(add_library, &bytes);
	if (bytes) {
		put("library", bytes, "bytes");
		paper("library", 10240, "bytes", "Myth");
	}
}

static const struct {
	const char *name;
	void (*measure)(void);
} cases[] = {
	{ "table-1", table_1 }, { "table-2", table_2 }, { "table-3", table_3 },
	{ "table-4", table_4 }, { "table-5", table_5 }, { "start", start },
};

int main(int argc, char **argv)
{
	struct bench_args args = bench_parse(argc, argv);

	length_ns = args.length_ns;
	is_ours = strcmp(args.system, "glibc") != 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!strcmp(args.name, cases[i].name)) {
			cases[i].measure();
			return 0;
		}
	}
	die("no case '%s'", args.name);
}
