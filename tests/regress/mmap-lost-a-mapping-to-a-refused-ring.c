// SPDX-License-Identifier: BSD-2-Clause
// Where the kernel gives no more memory for the rings of events, by which a blocked thread is seen, the place of a ring
// was a hole: the program's next mappings came to lie there, and were mapped over.
#include "../posix/harness.h"

#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { CPUS = 8, MOST = CPUS * 65 + 90, AREAS = 600, BYTES = 8192, NOBODY = 12321 };
static int file[MOST + 1], n;
static char *area[AREAS];
static atomic_int waiting;

static void *waiter(void *arg)
{
	waiting++;
	CHECK_OK(flock(*(int *)arg, LOCK_SH));
	CHECK_OK(flock(*(int *)arg, LOCK_UN));
	return NULL;
}

/* Each in a call that nobody can make for it: as many kernel threads, each with a ring. */
static void block_them_all(void)
{
	pthread_t t[MOST];
	pthread_attr_t attr;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setstacksize(&attr, 64 * 1024));
	waiting = 0;
	CHECK_OK(flock(file[n], LOCK_EX));
	for (int i = 0; i < n; i++)
		CHECK_OK(pthread_create(&t[i], &attr, waiter, &file[i]));
	WAIT_FOR(waiting == n);
	sleep_ms(300);
	CHECK_OK(flock(file[n], LOCK_UN));
	for (int i = 0; i < n; i++)
		join(t[i]);
}

int main(void)
{
	struct rlimit limit, none = { 65536, 65536 };
	char name[] = "/tmp/upcall-ring-XXXXXX";
	int first = mkstemp(name);

	n = (int)sysconf(_SC_NPROCESSORS_CONF) * 65 + 90;	/* perf_event_mlock_kb is 516 for each CPU, a ring 8 */
	CHECK(first >= 0);
	CHECK_OK(getrlimit(RLIMIT_NOFILE, &limit));
	limit.rlim_cur = limit.rlim_max;
	CHECK_OK(setrlimit(RLIMIT_NOFILE, &limit));
	if (n > MOST || limit.rlim_cur < MOST + 50) {
		CHECK_OK(unlink(name));
		skip("too many CPUs, or too few descriptors");
	}
	for (int i = 0; i <= n; i++)
		CHECK((file[i] = open(name, O_RDWR)) >= 0);
	CHECK_OK(unlink(name));
	CHECK_OK(setrlimit(RLIMIT_MEMLOCK, &none));
	if (geteuid() == 0) {			/* who has no such limit */
		CHECK_OK(setresuid(NOBODY, NOBODY, NOBODY));
		CHECK_OK(prctl(PR_SET_DUMPABLE, 1));
	}
	block_them_all();
	sleep_ms(300);				/* kernel threads that nobody needs end */
	for (int i = 0; i < AREAS; i++) {
		area[i] = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(area[i] != MAP_FAILED);
		memset(area[i], 0x5a, BYTES);
	}
	block_them_all();
	for (int i = 0; i < AREAS; i++)
		for (int at = 0; at < BYTES; at++)
			CHECK_EQ(area[i][at], 0x5a);
}
