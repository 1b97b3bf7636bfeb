// SPDX-License-Identifier: BSD-2-Clause
/*
 * One program, once: a process group of its own, perhaps one processor, a time limit, its answer
 * in a file.  Scripts start servers in groups of their own and end them when they are told to
 * terminate, so that comes first, and SIGKILL only later.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/sys/admit.h"
#include "../cli.h"

enum { EXIT_SKIP = 77, PATH_BYTES = 4096, GRACE_MS = 15000 };
#define VALUE_END 1e15	/* of figures: they have fewer digits before the point */

static char self[PATH_BYTES], programs[PATH_BYTES], work[PATH_BYTES];
static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

int run_interrupted(void)
{
	return interrupted;
}

static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal }, before;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], &action, &before);
		if (signals[i] == SIGHUP && before.sa_handler == SIG_IGN)	/* nohup */
			sigaction(SIGHUP, &before, NULL);
	}
}

/* Beside the folder of this command in the build tree, else where they are installed. */
static void find_programs(void)
{
	if (!own_path(self, sizeof(self)))
		die(1, "cannot find this command itself");
	*strrchr(strcpy(programs, self), '/') = 0;
	strncat(programs, "/../bench", sizeof(programs) - strlen(programs) - 1);
	if (access(programs, X_OK))
		snprintf(programs, sizeof(programs), "%s", UPCALL_LIBEXECDIR "/upcall-bench");
	if (access(programs, X_OK))
		die(1, "cannot find the benchmarks beside this command nor in %s", programs);
}

const char *run_folder(void)
{
	if (!programs[0])
		find_programs();
	return programs;
}

void run_init(void)
{
	const char *tmp = getenv("TMPDIR");

	if (!tmp || !*tmp)
		tmp = "/tmp";
	char *whole = realpath(tmp, NULL);	/* programs run in another folder */

	snprintf(work, sizeof(work), "%s/upcall-bench.XXXXXX", whole ? whole : tmp);
	free(whole);
	run_folder();
	catch_signals();
	if (!mkdtemp(work))
		die(1, "cannot make the folder %s: %s", work, strerror(errno));
	chmod(work, 0755);	/* servers that give up their user ID look into it */
	/* "glibc" must be glibc, even where this command itself was started under Upcall. */
	unsetenv("LD_PRELOAD");
	unsetenv("BENCH_PEER");
	if (setenv("UPCALL", self, 1) || setenv("BENCH_WORK", work, 1) || setenv("TMPDIR", work, 1))
		die(1, "setenv: %s", strerror(errno));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

void run_fini(void)
{
	if (work[0])
		nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static FILE *open_answer(const char *name)
{
	char path[PATH_BYTES + 16];

	snprintf(path, sizeof(path), "%s/%s", work, name);
	return fopen(path, "r");
}

static void redirect(const char *name, int fd)
{
	int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (file < 0 || dup2(file, fd) < 0)
		_exit(EXIT_OURS);
	close(file);
}

static bool is_upcall(const struct call *call)
{
	return call->system >= UPCALL_NONE && call->system < NATIVE && !call->is_script;
}

/* What "upcall-perf" is told by, NULL for the best there is. */
static const char *source_of(enum system system)
{
	return system > UPCALL && system < NATIVE ? strchr(system_names[system], '-') + 1 : NULL;
}

/*
 * An upcalld of our own, for the runs that it is to tell only: it costs every switch on the machine
 * something.  False, with the reason, where there cannot be one.
 */
static pid_t daemon_pid;

static bool start_daemon(enum system system, const struct listener *listener)
{
	char path[PATH_BYTES + 32], option[PATH_BYTES + 32];
	struct abi_welcome welcome;
	int fds[2];

	snprintf(path, sizeof(path), "%.*s/../src/daemon/upcalld", (int)(strrchr(self, '/') - self), self);
	if (access(path, X_OK))
		snprintf(path, sizeof(path), "%s", UPCALL_SBINDIR "/upcalld");
	if (geteuid() || access(path, X_OK)) {
		listener->note(listener->arg, geteuid() ? "upcalld takes root" : "upcalld is not built here");
		return false;
	}
	snprintf(option, sizeof(option), "--socket=%s/upcalld", work);
	if (setenv("UPCALL_SOCKET", option + strlen("--socket="), 1))
		die(1, "setenv: %s", strerror(errno));
	daemon_pid = fork();
	if (daemon_pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (chdir(work))
			_exit(EXIT_OURS);
		redirect("upcalld.log", 2);
		execl(path, "upcalld", option, system == UPCALL_BPF ? NULL : "--sched-ext", (char *)NULL);
		_exit(EXIT_OURS);
	}
	for (int i = 0; daemon_pid > 0 && i < 500 && waitpid(daemon_pid, NULL, WNOHANG) == 0; i++) {
		if (admit_ask((uint32_t)ABI_STATUS, 1000, &welcome, fds)) {
			usleep(10000);
			continue;
		}
		if (system == UPCALL_BPF || welcome.sources & ABI_SCX)
			return true;
		listener->note(listener->arg, "this kernel lets upcalld load no scheduler (sched_ext)");
		return false;
	}
	listener->note(listener->arg, "upcalld cannot load its programs here");
	return false;
}

static void stop_daemon(void)
{
	if (daemon_pid > 0) {
		kill(daemon_pid, SIGTERM);
		waitpid(daemon_pid, NULL, 0);
	}
	daemon_pid = 0;
}

static void switch_off(const char *feature)
{
	const char *before = getenv("UPCALL_DISABLE");
	char list[512];

	snprintf(list, sizeof(list), "%s%s%s", feature, before && *before ? "," : "", before ? before : "");
	if (setenv("UPCALL_DISABLE", list, 1))
		_exit(EXIT_OURS);
}

/* In the child: the words of the call, and exec. */
static _Noreturn void become(const struct call *call)
{
	char program[PATH_BYTES + 64], seconds[32], stats[PATH_BYTES + 32];
	char source[64], name[2 * CASE_MAX_BYTES];
	const char *peer = peer_path(call->system);
	const char *words[12];
	int n = 0;

	if (peer && call->is_script && setenv("BENCH_PEER", peer, 1))
		_exit(EXIT_OURS);
	if (peer && !call->is_script)
		snprintf(program, sizeof(program), "%s", peer);
	else
		snprintf(program, sizeof(program), "%s/%s%s", programs, call->program,
			 call->system == NATIVE && !call->is_script ? "-native" : "");
	snprintf(name, sizeof(name), "%s%s%s", peer && call->is_told ? call->program : "", peer && call->is_told ? "/" : "",
		 call->name);
	snprintf(seconds, sizeof(seconds), "%g", call->seconds);
	snprintf(stats, sizeof(stats), "--stats=%s/stats", work);
	if (call->system == UPCALL_NONE)
		switch_off("upcalls");
	if (call->stays_unbound)
		switch_off("bind");
	if (is_upcall(call)) {
		words[n++] = self;
		words[n++] = "run";
		words[n++] = stats;
		if (call->has_scope)
			words[n++] = "--scope";
		if (source_of(call->system)) {
			snprintf(source, sizeof(source), "--source=%s", source_of(call->system));
			words[n++] = source;
		}
		words[n++] = "--";
	}
	words[n++] = program;
	words[n++] = name;
	words[n++] = seconds;
	words[n++] = system_names[call->system];
	words[n] = NULL;
	execv(words[0], (char **)words);
	fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
	_exit(EXIT_OURS);
}

/* The last ones: the first takes most of the interrupts. */
static void keep_last_cpus(int n)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return;
	for (int i = 0; CPU_COUNT(&set) > n; i++)
		CPU_CLR(i, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static pid_t start(const struct call *call)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (call->ncpus)
		keep_last_cpus(call->ncpus);
	if (chdir(work) || (call->memory_bytes && !limit_enter()))
		_exit(EXIT_OURS);
	unlink("stats");
	close(0);
	open("/dev/null", O_RDONLY);
	redirect("out", 1);
	redirect("err", 2);
	become(call);
}

/* Waits up to `ms` (-1: for ever) for the process to end; also returns false when this command is told to. */
static bool ends_within(pid_t pid, int ms)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = { .fd = fd, .events = POLLIN };

	if (fd < 0)
		return false;
	int n = poll(&end, 1, ms);

	close(fd);
	return n == 1;
}

/* The status of the process, or -1 when it had to be ended. */
static int wait_for(pid_t pid, unsigned limit_s)
{
	bool has_ended = ends_within(pid, limit_s ? (int)limit_s * 1000 : -1);
	int status;

	if (!has_ended) {
		int asked = interrupted;

		kill(-pid, SIGTERM);
		interrupted = 0;	/* a second signal ends the wait */
		ends_within(pid, GRACE_MS);
		interrupted = interrupted ? interrupted : asked;
	}
	kill(-pid, SIGKILL);	/* what it left behind in its group, or itself */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return has_ended ? status : -1;
}

struct line {
	enum { NOTE, PAPER, BOUND, FIGURE, OTHER } kind;
	char text[512], metric[NAME_MAX_BYTES], unit[UNIT_MAX_BYTES], whose[NAME_MAX_BYTES];
	double value;
	struct bar bar;		/* of a bound; its value is also above */
};

static bool is_bound(struct line *l)
{
	char side[16], words[2][64] = { "", "" };
	int n = sscanf(l->text, "bound %63s %lf %23s %15s %63s %63s", l->metric, &l->value, l->unit, side, words[0], words[1]);

	if (n < 4)
		return false;
	l->bar = (struct bar){ .value = l->value, .is_least = !strcmp(side, "at-least"), .kind = OF_ITSELF };
	if (n > 4)
		l->bar.kind = strcmp(words[0], "above") ? OF_RATIO : OF_DIFFERENCE;
	strcpy(l->bar.of, words[l->bar.kind == OF_DIFFERENCE]);
	return (l->bar.is_least || !strcmp(side, "at-most")) && (n == 4 || l->bar.of[0]);
}

static bool next_line(FILE *file, struct line *l)
{
	if (!file || !fgets(l->text, sizeof(l->text), file))
		return false;
	l->text[strcspn(l->text, "\n")] = 0;
	if (!strncmp(l->text, "note ", 5))
		l->kind = NOTE;
	else if (sscanf(l->text, "paper %63s %lf %23s %63[^\n]", l->metric, &l->value, l->unit, l->whose) == 4)
		l->kind = PAPER;
	else if (is_bound(l))
		l->kind = BOUND;
	else
		l->kind = sscanf(l->text, "%63s %lf %23s", l->metric, &l->value, l->unit) == 3 ? FIGURE : OTHER;
	return true;
}

/* How many figures there are; 0 also where one is no number, or too large for a table. */
static unsigned count_figures(void)
{
	FILE *file = open_answer("out");
	struct line l;
	unsigned n = 0;
	bool is_sound = true;

	while (is_sound && next_line(file, &l)) {
		is_sound = l.kind == NOTE || l.kind == OTHER || fabs(l.value) < VALUE_END;
		n += l.kind == FIGURE;
	}
	if (file)
		fclose(file);
	return is_sound ? n : 0;
}

/* How many figures it took: all, or none. */
static unsigned read_answer(const struct listener *listener)
{
	unsigned n = count_figures();
	FILE *file = n ? open_answer("out") : NULL;
	struct line l;

	while (next_line(file, &l)) {
		if (l.kind == NOTE)
			listener->note(listener->arg, l.text + 5);
		else if (l.kind == PAPER)
			listener->paper(listener->arg, l.metric, l.value, l.unit, l.whose);
		else if (l.kind == BOUND)
			listener->bound(listener->arg, l.metric, l.unit, &l.bar);
		else if (l.kind == FIGURE)
			listener->figure(listener->arg, l.metric, l.value, l.unit);
	}
	if (file)
		fclose(file);
	return n;
}

/* What the program said last, on standard error or, failing that, on standard output. */
static void last_words(char *text, size_t size)
{
	static const char *const files[] = { "err", "out" };
	char line[512];

	text[0] = 0;
	for (size_t i = 0; i < 2 && !text[0]; i++) {
		FILE *file = open_answer(files[i]);

		while (file && fgets(line, sizeof(line), file))
			if (line[0] != '\n')
				snprintf(text, size, "%.*s", (int)size - 1, line);
		if (file)
			fclose(file);
	}
	text[strcspn(text, "\n")] = 0;
}

/* The counters at exit prove that the threads were Upcall's, and who told of their blocks. */
static bool ran_on_user_threads(enum system system)
{
	FILE *file = open_answer("stats");
	const char *source = source_of(system);
	char line[256], found[64];
	long threads = 0;
	bool is_right = !source;

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, " threads %ld", &threads);
		if (source && sscanf(line, " upcalls.blocked.%63s", found) == 1)
			is_right = !strcmp(found, source);
	}
	if (file)
		fclose(file);
	return threads > 1 && is_right;
}

static enum outcome fail(const struct call *call, const char *how)
{
	char text[400];

	last_words(text, sizeof(text));
	say("%s %s on %s %s%s%s", call->program, call->name, system_names[call->system], how,
	    text[0] ? ": " : "", text);
	return FAILED;
}

/* Programs say "note REASON", scripts "NAME: skipped: REASON". */
static void tell_why(const struct listener *listener)
{
	char text[NOTE_MAX_BYTES];
	const char *reason = text;

	last_words(text, sizeof(text));
	if (!strncmp(text, "note ", 5))
		reason = text + 5;
	else if (strstr(text, "skipped: "))
		reason = strstr(text, "skipped: ") + 9;
	if (*reason)		/* peers skip what they do not have, without a word */
		listener->note(listener->arg, reason);
}

static enum outcome run_program(const struct call *call, const struct listener *listener)
{
	pid_t pid = start(call);
	char how[64];

	if (pid < 0)
		die(1, "fork: %s", strerror(errno));
	setpgid(pid, pid);
	int status = wait_for(pid, call->limit_s);

	if (interrupted)
		return INTERRUPTED;
	if (status == -1) {
		snprintf(how, sizeof(how), "did not end within %u s", call->limit_s);
		return fail(call, how);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIP) {
		tell_why(listener);
		return SKIPPED;
	}
	if (status) {
		bool is_signal = WIFSIGNALED(status);

		snprintf(how, sizeof(how), "failed (%s %d)", is_signal ? "signal" : "status",
			 is_signal ? WTERMSIG(status) : WEXITSTATUS(status));
		return fail(call, how);
	}
	if (is_upcall(call) && !ran_on_user_threads(call->system))
		return fail(call, "ran on plain kernel threads, or was told by another source");
	return read_answer(listener) ? MEASURED : fail(call, "gave no figure");
}

static enum outcome run_with_daemon(const struct call *call, const struct listener *listener)
{
	const char *socket = getenv("UPCALL_SOCKET");
	char *before = socket ? strdup(socket) : NULL;
	enum outcome outcome = start_daemon(call->system, listener) ? run_program(call, listener) : SKIPPED;

	stop_daemon();
	/* The other systems look where they did. */
	if (before ? setenv("UPCALL_SOCKET", before, 1) : unsetenv("UPCALL_SOCKET"))
		die(1, "setenv: %s", strerror(errno));
	free(before);
	return outcome;
}

enum outcome run_call(const struct call *call, const struct listener *listener)
{
	if (interrupted)
		return INTERRUPTED;
	if (call->memory_bytes && !limit_make(call->memory_bytes)) {
		listener->note(listener->arg, "no memory control group can be made here");
		return SKIPPED;
	}
	bool has_daemon = call->system == UPCALL_BPF || call->system == UPCALL_SCHED_EXT || call->system == UPCALL_SCX;
	enum outcome outcome = has_daemon ? run_with_daemon(call, listener) : run_program(call, listener);

	limit_remove();
	return outcome;
}
