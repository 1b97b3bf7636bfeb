// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads block in the kernel in every way (a real major fault, a FIFO's open, flock, a raw futex, a raw
 * nanosleep) while more threads compute than there are processors.  Another process watches the kernel's account:
 *
 *  1. No processor idles while a thread is ready: what the process leaves of its share (less what a
 *     hypervisor stole) while processors were idle is under IDLE_MAX of each window.
 *  2. The threads as a whole never stand still: for STILL_NS of CPU time that the process takes, or of idle time
 *     of a processor (other programs may take all they want), one has computed, or measured (3).
 *  3. Who comes back from a block does not run on for long: it asks the kernel which kernel thread it
 *     is on until that changes, or has run others.  If the block cost it its vproc, that is how long it runs beside its
 *     replacement; if not, its time slice is in it too, so this is a bound from above: what it runs
 *     until then is under OVERLAP_NS, and under OVERLAP_MOST_NS for nine of ten.
 *  4. Never do more kernel threads run than there are vprocs, whatever they came back from (running.h), for so long
 *     that all of them have run EXCESS_NS meanwhile.
 *
 *     Of both it is printed how long it was, beside the bound that the design has: a loaded machine does not keep that.
 *  5. The runtime's own counters (upcall_stats, where there are any) agree with what the test has done, with each
 *     other, and with the kernel's account.
 *
 * The counters have no part in the others.  INVARIANTS_SECONDS in the environment says how long it
 * lasts; what is beyond a bound is told when it happens, and counted.
 */
#include "faults.h"
#include "idle.h"
#include "running.h"
#include "../../include/upcall/stats.h"
#include <linux/futex.h>
#include <sys/file.h>

#define BLOCKERS 8
#define COMPUTERS 6
#define SECONDS 4
#define KINDS 5
#define FILE_PAGES 512
#define SAMPLES 20000

#define MS 1000000ull
#define WINDOW_NS (500 * MS)
#define REPORT_NS (60000 * MS)
#define STILL_NS (100 * MS)
/*
 * At rest they are a hundredth of that; but the monitor, which ends an overlap where nobody else does, must get a
 * processor to do so.  Who is forgotten runs on for ever.
 */
#define OVERLAP_NS (1000 * MS)
#define OVERLAP_MOST_NS (40 * MS)
#define HOLE_NS 200000		/* a longer time between two questions: another had the processor */
#define HELPERS 2		/* kernel threads that carry no vproc: the monitor, and the clerk */

static struct shared {
	atomic_ulong progress[COMPUTERS + 1];	/* the last: of those who measure */
	atomic_int is_over, computing;
	atomic_uint nvprocs, peak_threads;	/* by the runtime's account, 0 without it; by the observer's */
	char bound[96];
} *shared;

static atomic_int futex_word, blocks[KINDS];
static atomic_bool stop;
static char lock_path[64], fifo_path[64];
/* Of those who came back from a block, and of those among them who had lost their vproc. */
static struct overlaps {
	uint64_t ns[SAMPLES];		/* the first of them; all are counted */
	atomic_int n;
	atomic_ulong longest;
} overlaps, overlaps_of_lost;
static atomic_int nlong_overlaps, ntoo_long_overlaps;

static uint64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void add_to(struct overlaps *o, uint64_t ran)
{
	int i = o->n++;
	unsigned long longest = o->longest;

	if (i < SAMPLES)
		o->ns[i] = ran;
	while (ran > longest && !atomic_compare_exchange_weak(&o->longest, &longest, ran))
		;
}

static void note_overlap(uint64_t ran, bool is_lost)
{
	add_to(&overlaps, ran);
	if (is_lost)
		add_to(&overlaps_of_lost, ran);
	nlong_overlaps += ran >= OVERLAP_MOST_NS;
	ntoo_long_overlaps += ran >= OVERLAP_NS;
}

/* The vproc goes on without it, as the runtime says. */
static bool has_lost(void)
{
	struct upcall_thread_info info = { .size = sizeof info };

	return upcall_thread_info && upcall_thread_info(0, &info) == 0 && info.state == UPCALL_STATE_KERNEL;
}

/* CPU time of the kernel thread, whoever ran on it. */
static uint64_t kernel_thread_cpu(void)
{
	struct timespec t;

	raw_syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&t, 0, 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * Runs on until it has given way: the kernel thread is another, or has run another meanwhile, or has its vproc again.  Among others that wait for a
 * vproc that comes, soon: who has not lost his own has a time slice.  On a kernel thread of its own it never does.
 */
static void measure_overlap(long tid)
{
	bool must_end = shared->nvprocs, is_lost = has_lost();
	uint64_t most = must_end ? OVERLAP_NS : 30 * MS, at = clock_now(), cpu = kernel_thread_cpu(), ran = 0;

	while (ran < most && !stop) {
		for (volatile int i = 0; i < 2000; i++)		/* what it comes back for */
			;
		bool has_ended = raw_syscall(SYS_gettid, 0, 0, 0, 0) != tid || (is_lost && !has_lost());
		uint64_t now = clock_now(), cpu_now = kernel_thread_cpu();

		shared->progress[COMPUTERS]++;
		if (now - at < HOLE_NS)
			ran += now - at;
		else
			has_ended |= cpu_now - cpu > (now - at) / 2;
		at = now;
		cpu = cpu_now;
		if (has_ended) {
			note_overlap(ran, is_lost);
			return;
		}
	}
	if (must_end && !stop)
		note_overlap(ran, is_lost);
}

static void raw_sleep(uint64_t *r)
{
	struct timespec t = { .tv_nsec = (long)(1 + pick(r, 8)) * 1000000 };

	raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
}

static void raw_futex(uint64_t *r)
{
	struct timespec t = { .tv_nsec = (long)(1 + pick(r, 8)) * 1000000 };

	raw_syscall(SYS_futex, (long)&futex_word, FUTEX_WAIT, futex_word, (long)&t);
}

static void with_flock(uint64_t *r)
{
	int fd = open(lock_path, O_RDWR);

	CHECK(fd >= 0);
	while (flock(fd, LOCK_EX) == -1)
		CHECK_EQ(errno, EINTR);
	raw_sleep(r);
	CHECK_OK(close(fd));
}

static void *fifo_reader(void *arg UNUSED)
{
	int fd = open(fifo_path, O_RDONLY);

	CHECK(fd >= 0);
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
	join(t);
	CHECK_OK(close(fd));
}

static void with_fault(uint64_t *r)
{
	if (fault_path[0])
		fault_at((int)pick(r, FILE_PAGES));
	else
		raw_sleep(r);
}

static void (*const kinds[KINDS])(uint64_t *) = { raw_sleep, raw_futex, with_flock, with_fifo, with_fault };

static void *blocker(void *arg)
{
	uint64_t r = seed_for((int)(intptr_t)arg);

	while (!stop) {
		int k = (int)pick(&r, KINDS);

		if (k == 3 && arg != NULL)	/* one pair at a FIFO */
			k = 0;
		long tid = raw_syscall(SYS_gettid, 0, 0, 0, 0);

		kinds[k](&r);
		blocks[k]++;
		if (k < 2)		/* nothing but the block lies between the two questions */
			measure_overlap(tid);
	}
	return NULL;
}

static void *computer(void *arg)
{
	atomic_ulong *mine = &shared->progress[(intptr_t)arg];

	shared->computing++;
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

/* ---- the observer, a process of its own ---- */

/* CPU time of all kernel threads of the process, those that have ended with it. */
static uint64_t cpu_of(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t progress_sum(void)
{
	uint64_t sum = 0;

	for (int i = 0; i <= COMPUTERS; i++)
		sum += shared->progress[i];
	return sum;
}

/* A window of WINDOW_NS, and since when nothing has been computed. */
static struct watch {
	uint64_t start, window, window_cpu, window_idle, window_stolen, still_cpu, still_idle, seen;
	uint64_t worst_idle, worst_still_cpu, worst_still_idle, reported;
	unsigned windows, violations, still_looks;
	bool is_still, is_beyond;	/* and that was told */
} watch;

static void tell(const char *what, double value, const char *unit)
{
	watch.violations++;
	printf("violation %.1f s after the start: %s %.1f %s, seen by %u looks\n",
	       (double)(clock_now() - watch.start) / 1e9, what, value, unit, watch.still_looks);
	fflush(stdout);
}

static void raise_to(uint64_t *worst, uint64_t value)
{
	if (value > *worst)
		*worst = value;
}

/* With one vproc on several processors the others are idle all the time. */
static void look_at_progress(uint64_t cpu, uint64_t idle, uint64_t sum, bool is_all)
{
	if (sum != watch.seen) {
		watch.seen = sum;
		watch.still_cpu = cpu;
		watch.still_idle = idle;
		watch.is_still = false;
		watch.still_looks = 0;
	}
	watch.still_looks++;
	uint64_t still_cpu = above(cpu, watch.still_cpu), still_idle = above(idle, watch.still_idle);

	raise_to(&watch.worst_still_cpu, still_cpu);
	raise_to(&watch.worst_still_idle, still_idle);
	if (!watch.is_still && (still_cpu > STILL_NS || (is_all && still_idle > STILL_NS))) {
		watch.is_still = true;
		tell("nothing computed for", (double)(still_cpu > still_idle ? still_cpu : still_idle) / 1e6, "ms");
	}
}

static void look_at_window(uint64_t now, uint64_t cpu, uint64_t idle, uint64_t stolen, int nvprocs)
{
	uint64_t span = now - watch.window;
	uint64_t used = above(cpu, watch.window_cpu) + above(stolen, watch.window_stolen);
	uint64_t gap = unused(span, nvprocs, used, above(idle, watch.window_idle)) * 1000 / span;

	raise_to(&watch.worst_idle, gap);
	if ((double)gap > IDLE_MAX * 1000)
		tell("unused while idle", (double)gap / 10, "% of a processor");
	watch.window = now, watch.window_cpu = cpu, watch.window_idle = idle, watch.window_stolen = stolen;
	watch.windows++;
}

/* On kernel threads of their own, or libc's, as many run as can. */
static void look_at_excess(pid_t pid, uint64_t cpu)
{
	unsigned nvprocs = shared->nvprocs;
	uint64_t together = nvprocs ? look_at_running(pid, nvprocs, cpu) : 0;

	if (together > EXCESS_NS && !watch.is_beyond)
		tell("more ran than there are vprocs, all of them for", (double)together / 1e6, "ms");
	watch.is_beyond = together > EXCESS_NS;
}

static void report(void)
{
	printf("%u windows: unused while idle at most %.1f %% of one; still at most %.1f ms of CPU, %.1f ms idle\n",
	       watch.windows, (double)watch.worst_idle / 10, (double)watch.worst_still_cpu / 1e6,
	       (double)watch.worst_still_idle / 1e6);
	fflush(stdout);
	if (running.looks)
		report_running(shared->nvprocs, shared->bound);
	watch.reported = clock_now();
}

static int observe(pid_t pid, int nvprocs, const cpu_set_t *set)
{
	watch.start = watch.window = watch.reported = clock_now();
	watch.window_cpu = watch.still_cpu = cpu_of(pid);
	account_of(set, &watch.window_idle, &watch.window_stolen);
	watch.still_idle = watch.window_idle;
	watch.seen = progress_sum();
	while (!shared->is_over) {
		struct timespec nap = { .tv_nsec = 5 * 1000000 };

		nanosleep(&nap, NULL);
		if (getppid() != pid)
			return 4;
		uint64_t now = clock_now(), cpu = cpu_of(pid), idle, stolen;

		account_of(set, &idle, &stolen);
		look_at_progress(cpu, idle, progress_sum(), nvprocs >= CPU_COUNT(set));
		look_at_excess(pid, cpu);
		if (now - watch.window >= WINDOW_NS && !shared->is_over)
			look_at_window(now, cpu, idle, stolen, nvprocs);
		if (now - watch.reported >= REPORT_NS)
			report();
	}
	report();
	shared->peak_threads = running.peak_threads;
	return !watch.windows ? 3 : watch.violations != 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print_overlaps(struct overlaps *o, const char *who)
{
	size_t n = o->n < SAMPLES ? (size_t)o->n : SAMPLES;

	qsort(o->ns, n, sizeof o->ns[0], compare);
	if (n)
		printf("%d %s: ran on for %.3f ms (median), %.3f (p99), %.3f at most\n", o->n, who,
		       (double)o->ns[n / 2] / 1e6, (double)o->ns[n * 99 / 100] / 1e6, (double)o->longest / 1e6);
}

static void check_overlaps(void)
{
	print_overlaps(&overlaps, "gave way after a block");
	print_overlaps(&overlaps_of_lost, "had lost their vproc");
	printf("%d of them over %llu ms, %d over %llu ms\n", nlong_overlaps, OVERLAP_MOST_NS / MS, ntoo_long_overlaps,
	       OVERLAP_NS / MS);
	fflush(stdout);
	CHECK_EQ(ntoo_long_overlaps, 0);
	CHECK(nlong_overlaps <= overlaps.n / 10);
}

/* ---- the runtime's own counters ---- */

static struct upcall_stats stats_now(void)
{
	struct upcall_stats s = { .size = sizeof s };

	if (upcall_stats)
		CHECK_OK(upcall_stats(&s));
	return s;
}

/* How long an unblocked kernel thread may run beside its replacement, by who tells of it (doc/design.md). */
static const char *bound_of(const char *source)
{
	return !strcmp(source, "sched_ext") ? "none with sched_ext"
	       : !strcmp(source, "bpf") ? "1 ms with bpf"
	       : !strcmp(source, "perf") ? "1 ms at p99 and a slice at most with perf"
	       : "two slices with the monitor";
}

static void tell_observer(void)
{
	struct upcall_stats s = stats_now();

	if (!s.vprocs)
		return;
	strcpy(shared->bound, bound_of(s.source));
	shared->nvprocs = s.vprocs;
}

/* While they block and compute: read one after the other, they are near each other only. */
static void check_counters_amid(const struct upcall_stats *before)
{
	struct upcall_stats s = stats_now();

	CHECK(s.vprocs == before->vprocs);
	CHECK(s.switches > before->switches && s.parks >= before->parks && s.preemptions >= before->preemptions);
	CHECK(s.upcalls_blocked >= before->upcalls_blocked && s.upcalls_unblocked >= before->upcalls_unblocked);
	CHECK(s.activations >= s.vprocs && s.activations <= s.activations_peak);
	CHECK(s.threads_live > BLOCKERS + COMPUTERS);
}

/* All who blocked are back.  That main has lost its vproc, in its last wait, is counted when it next comes to a switch. */
static struct upcall_stats stats_at_rest(void)
{
	uint64_t end = now_ns() + PATIENCE_MS * MS;
	struct upcall_stats s;

	do {
		sched_yield();
		s = stats_now();
	} while ((s.activations_blocked || s.threads_live > 1) && now_ns() < end);
	return s;
}

/* When all that the test has made has ended: each was counted once. */
static void check_counters_after(void)
{
	struct upcall_stats s = stats_at_rest();
	unsigned made = 1 + BLOCKERS + COMPUTERS + (unsigned)blocks[3];

	printf("counted: %llu blocked, %llu unblocked, %llu preemptions, %u activations at most; the longest overlap %.3f ms\n",
	       (unsigned long long)s.upcalls_blocked, (unsigned long long)s.upcalls_unblocked,
	       (unsigned long long)s.preemptions, s.activations_peak, (double)s.overlap_max_ns / 1e6);
	fflush(stdout);
	CHECK_EQ(s.threads, made);
	CHECK_EQ(s.threads_live, 1);
	CHECK_EQ(s.upcalls_unblocked, s.upcalls_blocked);
	CHECK_EQ(s.activations_blocked, 0);
	/* Who is another kernel thread's after a block lost its vproc meanwhile, or had to give way after it. */
	CHECK((uint64_t)overlaps.n <= s.upcalls_unblocked + s.preemptions);
	CHECK(s.upcalls_blocked > 0);
	CHECK(shared->peak_threads <= s.activations_peak + HELPERS);
	CHECK(shared->peak_threads >= s.vprocs);
}

static unsigned seconds_asked(void)
{
	const char *asked = getenv("INVARIANTS_SECONDS");

	return asked && atoi(asked) > 0 ? (unsigned)atoi(asked) : SECONDS;
}

int main(int argc, char **argv)
{
	const char *asked = getenv("UPCALL_VPROCS");
	pthread_t b[BLOCKERS], c[COMPUTERS];
	pid_t me = getpid(), observer;
	unsigned seconds = seconds_asked();
	int status, nvprocs;
	cpu_set_t set;

	stay_unbound(argv);
	stress_seed(argc, argv);
	alarm(WATCHDOG_SECONDS + seconds);
	CHECK_OK(sched_getaffinity(0, sizeof set, &set));
	nvprocs = asked && atoi(asked) > 0 && atoi(asked) < CPU_COUNT(&set) ? atoi(asked) : CPU_COUNT(&set);
	if (nvprocs > COMPUTERS)
		nvprocs = COMPUTERS;
	make_files();
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	observer = fork();
	if (observer == 0) {
		while (shared->computing < COMPUTERS && getppid() == me)
			usleep(1000);
		usleep(100000);
		_exit(observe(me, nvprocs, &set));
	}
	spawn_many(c, COMPUTERS, computer);
	WAIT_FOR(shared->computing == COMPUTERS);
	long faults = major_faults();

	spawn_many(b, BLOCKERS, blocker);
	tell_observer();
	for (uint64_t end = clock_now() + seconds * 1000 * MS; clock_now() < end;) {
		struct upcall_stats before = stats_now();

		sleep_ms(1000);
		if (before.vprocs)
			check_counters_amid(&before);
	}
	shared->is_over = 1;
	CHECK_EQ(waitpid(observer, &status, 0), observer);
	stop = true;
	join_many(b, BLOCKERS);
	join_many(c, COMPUTERS);
	unlink(lock_path);
	unlink(fifo_path);
	unlink(fault_path);
	printf("sleeps %d futexes %d flocks %d fifos %d faults %d\n", blocks[0], blocks[1], blocks[2], blocks[3],
	       blocks[4]);
	if (shared->nvprocs)
		check_counters_after();
	CHECK_EQ(status, 0);
	check_faults(blocks[4], faults);
	check_overlaps();
}
