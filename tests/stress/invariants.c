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
 *     is on until that changes.  If the block cost it its vproc, that is how long it runs beside its
 *     replacement; if not, its time slice is in it too, so this is a bound from above: what it runs
 *     until then is under OVERLAP_NS, and under OVERLAP_P99_NS for 99 of 100.
 *
 * The runtime's own counters have no part in this.  INVARIANTS_SECONDS in the environment says how long it
 * lasts; what is beyond a bound is told when it happens, and counted.
 */
#include "stress.h"
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
#define IDLE_MAX 0.20		/* the kernel's account comes in ticks, of 10 ms on some kernels */
#define STILL_NS (100 * MS)
/* At rest a tenth of that; but the monitor, which ends an overlap, must get a processor to do so. */
#define OVERLAP_NS (100 * MS)
#define OVERLAP_P99_NS (40 * MS)
#define HOLE_NS 200000		/* a longer time between two questions: another had the processor */

static struct shared {
	atomic_ulong progress[COMPUTERS + 1];	/* the last: of those who measure */
	atomic_int is_over, computing;
} *shared;

static atomic_int futex_word, blocks[KINDS];
static atomic_bool stop;
static char lock_path[64], fifo_path[64], data_path[64];
static uint64_t overlaps[SAMPLES];		/* the first of them; all are counted */
static atomic_int noverlaps, nlong_overlaps, ntoo_long_overlaps;
static atomic_ulong longest_overlap;

static uint64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void note_overlap(uint64_t ran)
{
	int i = noverlaps++;
	unsigned long longest = longest_overlap;

	if (i < SAMPLES)
		overlaps[i] = ran;
	nlong_overlaps += ran >= OVERLAP_P99_NS;
	ntoo_long_overlaps += ran >= OVERLAP_NS;
	while (ran > longest && !atomic_compare_exchange_weak(&longest_overlap, &longest, ran))
		;
}

/* Runs on until the kernel thread is another, or for so long that the vproc cannot be lost. */
static void measure_overlap(long tid)
{
	uint64_t at = clock_now(), end = at + 30 * MS, ran = 0;

	while (at < end) {
		bool is_same = raw_syscall(SYS_gettid, 0, 0, 0, 0) == tid;
		uint64_t now = clock_now();

		if (!is_same) {
			note_overlap(ran);
			return;
		}
		shared->progress[COMPUTERS]++;
		if (now - at < HOLE_NS)
			ran += now - at;
		else
			end += now - at;
		at = now;
	}
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
	size_t size = FILE_PAGES * 4096u, at = pick(r, FILE_PAGES);
	int fd = open(data_path, O_RDONLY);
	volatile unsigned char *m;

	CHECK(fd >= 0);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	m = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(m != MAP_FAILED);
	madvise((void *)(uintptr_t)m, size, MADV_RANDOM);
	CHECK_EQ(m[at * 4096], at & 255);
	CHECK_OK(munmap((void *)(uintptr_t)m, size));
	CHECK_OK(close(fd));
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
	char page[4096];
	int fd;

	strcpy(lock_path, fresh_path());
	CHECK_OK(close(open(lock_path, O_RDWR | O_CREAT, 0600)));
	strcpy(fifo_path, fresh_path());
	CHECK_OK(mkfifo(fifo_path, 0600));
	strcpy(data_path, fresh_path());
	fd = open(data_path, O_RDWR | O_CREAT, 0600);
	for (int i = 0; i < FILE_PAGES; i++) {
		memset(page, i & 255, sizeof page);
		CHECK_EQ(write(fd, page, sizeof page), (ssize_t)sizeof page);
	}
	CHECK_OK(fsync(fd));
	CHECK_OK(close(fd));
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

/* Of the processors that the process may use: the time that they idled, and that the machine below took from them. */
static void account_of(const cpu_set_t *set, uint64_t *idle, uint64_t *stolen)
{
	uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	char line[512];
	FILE *f = fopen("/proc/stat", "r");

	*idle = *stolen = 0;
	while (f && fgets(line, sizeof line, f)) {
		unsigned cpu;
		unsigned long long v[8] = { 0 };

		if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &v[0], &v[1], &v[2], &v[3], &v[4],
			   &v[5], &v[6], &v[7]) < 6 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, set))
			continue;
		*idle += (v[3] + v[4]) * tick;
		*stolen += v[7] * tick;
	}
	if (f)
		fclose(f);
}

static uint64_t progress_sum(void)
{
	uint64_t sum = 0;

	for (int i = 0; i <= COMPUTERS; i++)
		sum += shared->progress[i];
	return sum;
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* How much of the window was left unused though processors were idle. */
static uint64_t unused(uint64_t span, int nvprocs, uint64_t used, uint64_t idle)
{
	uint64_t left = above(span * (uint64_t)nvprocs, used);

	return left < idle ? left : idle;
}

/* A window of WINDOW_NS, and since when nothing has been computed. */
static struct watch {
	uint64_t start, window, window_cpu, window_idle, window_stolen, still_cpu, still_idle, seen;
	uint64_t worst_idle, worst_still_cpu, worst_still_idle, reported;
	unsigned windows, violations, still_looks;
	bool is_still;			/* and that was told */
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

static void report(void)
{
	printf("%u windows: unused while idle at most %.1f %% of one; still at most %.1f ms of CPU, %.1f ms idle\n",
	       watch.windows, (double)watch.worst_idle / 10, (double)watch.worst_still_cpu / 1e6,
	       (double)watch.worst_still_idle / 1e6);
	fflush(stdout);
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
		if (now - watch.window >= WINDOW_NS && !shared->is_over)
			look_at_window(now, cpu, idle, stolen, nvprocs);
		if (now - watch.reported >= REPORT_NS)
			report();
	}
	report();
	return !watch.windows ? 3 : watch.violations != 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void check_overlaps(void)
{
	size_t n = noverlaps < SAMPLES ? (size_t)noverlaps : SAMPLES;

	qsort(overlaps, n, sizeof overlaps[0], compare);
	if (!n)
		return;
	printf("%d were moved after a block: ran on for %.3f ms (median), %.3f (p99), %.3f at most\n", noverlaps,
	       (double)overlaps[n / 2] / 1e6, (double)overlaps[n * 99 / 100] / 1e6, (double)longest_overlap / 1e6);
	printf("%d of them over %llu ms, %d over %llu ms\n", nlong_overlaps, OVERLAP_P99_NS / MS, ntoo_long_overlaps,
	       OVERLAP_NS / MS);
	fflush(stdout);
	CHECK_EQ(ntoo_long_overlaps, 0);
	CHECK(nlong_overlaps <= noverlaps / 100);
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
	spawn_many(b, BLOCKERS, blocker);
	for (uint64_t end = clock_now() + seconds * 1000 * MS; clock_now() < end;)
		sleep_ms(1000);
	shared->is_over = 1;
	CHECK_EQ(waitpid(observer, &status, 0), observer);
	stop = true;
	join_many(b, BLOCKERS);
	join_many(c, COMPUTERS);
	unlink(lock_path);
	unlink(fifo_path);
	unlink(data_path);
	printf("sleeps %d futexes %d flocks %d fifos %d faults %d\n", blocks[0], blocks[1], blocks[2], blocks[3],
	       blocks[4]);
	CHECK_EQ(status, 0);
	check_overlaps();
}
