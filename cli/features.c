// SPDX-License-Identifier: BSD-2-Clause
/*
 * `upcall features`: what this kernel and this process's surroundings allow, whether a program
 * under `upcall run` would make use of it, and why.  Every answer comes from trying.
 */
#include "cli.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../src/base/option.h"
#include "../src/sys/admit.h"
#include "../src/sys/probe.h"
#include "../src/sys/setting.h"

struct verdict {
	bool is_available, is_used;
	char why[160];
};

struct limit {
	char value[32];
	bool is_number;
	char why[160];
};

static void because(char why[160], const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void because(char why[160], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, 160, fmt, ap);
	va_end(ap);
}

static bool is_off(const char *feature)
{
	return feature && probe_is_disabled(setting_read(SETTING_DISABLE), feature);
}

/*
 * The common case: `err` is what the probe of a feature said; available features are used unless
 * switched off by `name` (NULL: they cannot be).
 */
static void judge(struct verdict *v, int err, const char *name, const char *use,
		  const char *otherwise)
{
	v->is_available = !err;
	v->is_used = !err && !is_off(name);
	if (err)
		because(v->why, "%s: %s", strerror(-err), otherwise);
	else if (v->is_used)
		because(v->why, "%s", use);
	else
		because(v->why, "switched off by UPCALL_DISABLE: %s", otherwise);
}

/*
 * The runtime's own rule (src/upcall/source.c): the best source that works, is not switched off, and
 * is not above the one that was asked for.
 */
static bool may_use(const char *name)
{
	static const char *const best_first[] = { "sched_ext", "bpf", "perf", "monitor" };
	const char *first = setting_read(SETTING_SOURCE);
	bool is_wanted = !first || !strcmp(first, "auto");

	if (is_off("upcalls"))
		return false;
	for (size_t i = 0; i < sizeof(best_first) / sizeof(best_first[0]); i++) {
		is_wanted |= first && !strcmp(first, best_first[i]);
		if (!strcmp(best_first[i], name))
			return is_wanted && !is_off(strcmp(name, "sched_ext") ? name : "scx");
	}
	return false;
}

static const char *who_switched_off(const char *name)
{
	return is_off(name) || is_off("upcalls") ? "UPCALL_DISABLE" : "UPCALL_SOURCE";
}

/* upcalld's answer: what it offers (ABI_*), 0 when there is none, and why not. */
static unsigned daemon_sources(char why[160])
{
	struct abi_welcome welcome;
	int fds[2], err = admit_ask((uint32_t)ABI_STATUS, 1000, &welcome, fds);

	if (err == -ENOENT || err == -ECONNREFUSED)
		because(why, "upcalld is not running");
	else if (err)
		because(why, "upcalld: %s", welcome.text[0] ? welcome.text : strerror(-err));
	else
		because(why, "%.150s", welcome.text);
	return err ? 0 : welcome.sources;
}

static bool uses_scx(void)
{
	char why[160];

	return may_use("sched_ext") && daemon_sources(why) & ABI_SCX;
}

static bool uses_bpf(void)
{
	char why[160];

	return !uses_scx() && may_use("bpf") && daemon_sources(why) & ABI_BPF;
}

static bool uses_perf(void)
{
	return !uses_scx() && !uses_bpf() && may_use("perf") && !probe_perf();
}

static void judge_perf(struct verdict *v)
{
	enum { MOST_PARANOID = 2 };
	int64_t paranoid = probe_number("/proc/sys/kernel/perf_event_paranoid", -1);
	int err = probe_perf();

	v->is_available = !err;
	v->is_used = uses_perf();
	if (err && paranoid <= MOST_PARANOID && prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER)
		because(v->why, "perf_event_open: %s, by a filter of system calls: upcall-features(1) says what to do in a container",
			strerror(-err));
	else if (err)
		because(v->why, "perf_event_open: %s (perf_event_paranoid is %lld, at most 2 will do)",
			strerror(-err), (long long)paranoid);
	else if (v->is_used)
		because(v->why, "tells which kernel thread blocked (perf_event_paranoid is %lld)",
			(long long)paranoid);
	else if (may_use("perf"))
		because(v->why, "in reserve: upcalld's programs tell");
	else
		because(v->why, "switched off by %s", who_switched_off("perf"));
}

static void judge_alarm(struct verdict *v)
{
	int err = probe_alarm();

	v->is_available = !err;
	v->is_used = !err && may_use("perf") && !uses_scx() && !is_off("alarm");
	if (err)
		because(v->why, "perf_event_open: %s: who comes back from a block runs on until the monitor looks", strerror(-err));
	else if (v->is_used)
		because(v->why, "tells who comes back from a block that its vproc is taken");
	else if (uses_scx())
		because(v->why, "no need: the kernel holds who comes back from a block");
	else
		because(v->why, "switched off by %s: who comes back from a block runs on until the monitor looks",
			is_off("alarm") ? "UPCALL_DISABLE" : who_switched_off("perf"));
}

static void judge_monitor(struct verdict *v)
{
	v->is_available = true;
	v->is_used = !is_off("upcalls") && !uses_scx() && !uses_bpf() && !uses_perf();
	because(v->why, v->is_used ? "finds blocked threads instead of perf, later" :
			is_off("upcalls") ? "nobody tells of blocks: switched off by UPCALL_DISABLE" :
			"not needed: the kernel tells");
}

static void judge_bpf(struct verdict *v)
{
	v->is_available = daemon_sources(v->why) & ABI_BPF;
	v->is_used = uses_bpf();
	if (uses_scx())
		because(v->why, "in reserve: upcalld's scheduler tells");
	else if (v->is_available && !v->is_used)
		because(v->why, "switched off by %s", who_switched_off("bpf"));
}

static void judge_scx(struct verdict *v)
{
	char why[160];

	v->is_available = daemon_sources(why) & ABI_SCX;
	v->is_used = uses_scx();
	if (probe_scx())
		because(v->why, "this kernel has no /sys/kernel/sched_ext");
	else if (!v->is_available)
		because(v->why, "the kernel has it, but no upcalld --sched-ext is running");
	else if (v->is_used)
		because(v->why, "upcalld's scheduler holds spares and woken threads until their turn");
	else
		because(v->why, "switched off by %s", who_switched_off("scx"));
}

static void judge_epoll(struct verdict *v)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);

	judge(v, fd < 0 ? -errno : 0, NULL, "waits for sockets and pipes",
	      "waiting for descriptors blocks, and is an upcall");
	if (fd >= 0)
		close(fd);
}

static void judge_io_uring(struct verdict *v)
{
	int err = probe_io_uring(), lacks_futex = err ? err : probe_io_uring_futex();

	v->is_available = !err;
	v->is_used = !lacks_futex && !is_off("io_uring");
	if (err)
		because(v->why, "io_uring_setup: %s; epoll serves", strerror(-err));
	else if (lacks_futex)
		because(v->why, "before Linux 6.7 it waits for no futex; epoll serves for descriptors");
	else if (!v->is_used)
		because(v->why, "switched off; waits for process-shared objects hold kernel threads");
	else
		because(v->why, "waits for process-shared objects; epoll serves for descriptors");
}

static void judge_nowait(struct verdict *v)
{
	judge(v, probe_nowait(), "nowait", "calls for pipes say whether they would block",
	      "pipes are polled before they are read, which may block, and is an upcall");
}

static void judge_fsgsbase(struct verdict *v)
{
	judge(v, probe_fsgsbase(), "fsgsbase", "a thread switch sets the TLS base in user space",
	      "a thread switch calls arch_prctl");
}

static void judge_guard(struct verdict *v)
{
	judge(v, probe_guard(), "guard", "stack guards use no map entries (MADV_GUARD_INSTALL)",
	      "stack guards by mprotect, within the map count");
}

static void judge_slice(struct verdict *v)
{
	judge(v, probe_slice(), "slice",
	      "the monitor gets a processor at once beside threads that compute, which spares are not to delay",
	      "the monitor waits for its turn beside threads that compute");
}

static void judge_spin(struct verdict *v)
{
	judge(v, probe_spin(), "spin", "a thread that spins for another is known by its code",
	      is_off("spin") ? "a thread that spins for another keeps its slice"
			     : "a thread that spins for another is known by its registers");
}

static void judge_share(struct verdict *v)
{
	char why[160];
	unsigned offers = daemon_sources(why);

	v->is_available = offers & ABI_SHARE;
	v->is_used = v->is_available && !is_off("share") && !(uses_scx());
	because(v->why, !offers ? "upcalld is not running: a program takes what its affinity and quota allow"
			: !v->is_available ? "upcalld runs without --share: a program takes what its affinity and quota allow"
			: v->is_used ? "upcalld says how many processors a program is to use"
			: is_off("share") ? "switched off by UPCALL_DISABLE"
			: "upcalld's scheduler gives programs turns instead");
}

static void judge_rseq(struct verdict *v)
{
	v->is_available = !probe_rseq();
	v->is_used = false;
	because(v->why, v->is_available
		? "belongs to the kernel thread: upcall run switches glibc's use of it off"
		: "not in this kernel");
}

static bool are_slices_off_at_boot(void)
{
	char line[4096] = "", *word;
	FILE *f = fopen("/proc/cmdline", "re");

	if (!f)
		return false;
	bool is_read = fgets(line, sizeof(line), f);

	fclose(f);
	word = is_read ? strstr(line, "rseq_slice_ext=") : NULL;
	return word && (strchr("0nNfF", word[15]) || !strncmp(word + 15, "of", 2));
}

static void judge_rseq_slice(struct verdict *v)
{
	bool is_off_at_boot = are_slices_off_at_boot();

	v->is_available = !probe_rseq_slice() && !is_off_at_boot;
	v->is_used = v->is_available && !is_off("rseq_slice");
	because(v->why, is_off_at_boot ? "switched off when the kernel was started (rseq_slice_ext): a section ends late"
			: !v->is_available ? "not in this kernel: other processes may run amid of a section"
			: v->is_used ? "lets a section (upcall_nopreempt_begin) end before another process runs"
			: "switched off by UPCALL_DISABLE: other processes may run amid of a section");
}

static void judge_membarrier(struct verdict *v)
{
	judge(v, probe_membarrier(), NULL, "orders take-overs across CPUs",
	      "a page is mapped and unmapped instead, which interrupts all CPUs that run the process");
}

static const struct feature {
	const char *name;
	void (*judge)(struct verdict *v);
} features[] = {
	{ "perf", judge_perf },
	{ "alarm", judge_alarm },
	{ "monitor", judge_monitor },
	{ "bpf", judge_bpf },
	{ "sched_ext", judge_scx },
	{ "epoll", judge_epoll },
	{ "io_uring", judge_io_uring },
	{ "nowait", judge_nowait },
	{ "fsgsbase", judge_fsgsbase },
	{ "guard", judge_guard },
	{ "slice", judge_slice },
	{ "spin", judge_spin },
	{ "share", judge_share },
	{ "rseq", judge_rseq },
	{ "rseq_slice", judge_rseq_slice },
	{ "membarrier", judge_membarrier },
};

static void put_number(struct limit *l, long long n)
{
	snprintf(l->value, sizeof(l->value), "%lld", n);
	l->is_number = true;
}

static void limit_vprocs(struct limit *l)
{
	put_number(l, probe_default_vprocs());
	because(l->why, "what a program gets without --vprocs");
}

static void limit_affinity(struct limit *l)
{
	put_number(l, probe_affinity_cpus());
	because(l->why, "CPUs in the affinity mask");
}

static void limit_quota(struct limit *l)
{
	uint64_t milli = probe_quota_milli_cpus();

	if (!milli) {
		snprintf(l->value, sizeof(l->value), "none");
		because(l->why, "no control group limits the CPU time");
		return;
	}
	snprintf(l->value, sizeof(l->value), "%.3f", (double)milli / 1000);
	l->is_number = true;
	because(l->why, "CPUs, by the control group's quota");
}

static void limit_maps(struct limit *l)
{
	put_number(l, probe_number("/proc/sys/vm/max_map_count", 65530));
	because(l->why, "mappings a process may have; only guards by mprotect need many");
}

static void limit_memlock(struct limit *l)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_MEMLOCK, &r) || r.rlim_cur == RLIM_INFINITY)
		snprintf(l->value, sizeof(l->value), "unlimited");
	else
		put_number(l, (long long)r.rlim_cur);
	because(l->why, "bytes that perf rings may lock, beside perf_event_mlock_kb for each CPU");
}

static const struct row {
	const char *name;
	void (*find)(struct limit *l);
} limits[] = {
	{ "vprocs", limit_vprocs },
	{ "affinity", limit_affinity },
	{ "cpu_quota", limit_quota },
	{ "max_map_count", limit_maps },
	{ "memlock", limit_memlock },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void print_table(void)
{
	printf("%-14s %-10s %-7s %s\n", "FEATURE", "AVAILABLE", "IN USE", "WHY");
	for (size_t i = 0; i < COUNT(features); i++) {
		struct verdict v;

		features[i].judge(&v);
		printf("%-14s %-10s %-7s %s\n", features[i].name, v.is_available ? "yes" : "no",
		       v.is_used ? "yes" : "no", v.why);
	}
	printf("\n%-14s %-18s %s\n", "LIMIT", "VALUE", "WHAT");
	for (size_t i = 0; i < COUNT(limits); i++) {
		struct limit l = { .is_number = false };

		limits[i].find(&l);
		printf("%-14s %-18s %s\n", limits[i].name, l.value, l.why);
	}
}

/* Our own words only, which hold neither quotes nor control characters. */
static void print_json(void)
{
	puts("{\"features\": [");
	for (size_t i = 0; i < COUNT(features); i++) {
		struct verdict v;

		features[i].judge(&v);
		printf("  {\"feature\": \"%s\", \"available\": %s, \"in_use\": %s, \"why\": \"%s\"}%s\n",
		       features[i].name, v.is_available ? "true" : "false", v.is_used ? "true" : "false",
		       v.why, i + 1 < COUNT(features) ? "," : "");
	}
	puts("], \"limits\": [");
	for (size_t i = 0; i < COUNT(limits); i++) {
		struct limit l = { .is_number = false };
		const char *quote;

		limits[i].find(&l);
		quote = l.is_number ? "" : "\"";
		printf("  {\"limit\": \"%s\", \"value\": %s%s%s, \"what\": \"%s\"}%s\n", limits[i].name,
		       quote, l.value, quote, l.why, i + 1 < COUNT(limits) ? "," : "");
	}
	puts("]}");
}

int features_main(int argc, char **argv)
{
	enum { JSON = 256 };
	static const char letters[] = ":h";
	static const struct option options[] = {
		{ "json", no_argument, NULL, JSON },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool is_json = false;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		if (c == 'h') {
			puts("usage: upcall features [--json]\n"
			     "\n"
			     "Says what this kernel offers, what a program under `upcall run` would use,\n"
			     "and why.  UPCALL_DISABLE, UPCALL_SOURCE and UPCALL_SOCKET count as they do there.\n"
			     "\n"
			     "  --json  the same as JSON\n"
			     "  --help  this text");
			return 0;
		}
		if (c != JSON)
			die(EXIT_USAGE, "%s; see upcall features --help", option_problem(c, argv, letters));
		is_json = true;
	}
	if (optind < argc)
		die(EXIT_USAGE, "features takes no argument ('%s'); see upcall features --help",
		    argv[optind]);
	if (is_json)
		print_json();
	else
		print_table();
	return 0;
}
