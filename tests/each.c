// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: each SUITE MODE SECONDS [NAME FILE]...
 *
 * Runs tests one after the other, for tests/run, which gives it the rest by the environment: each begins in an empty
 * folder, in a process group of its own, and has so many seconds.  Notes in $RESULTS/SUITE-MODE whether it passed, in
 * $STATE its status, and prints what was skipped and what failed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SKIPPED = 77, TOO_LONG = 124, BY_SIGNAL = 128, GRACE_S = 5, TAIL_LINES = 40, TAIL_BYTES = 32768 };

static const char *suite, *mode;
static char work[PATH_MAX], log_file[PATH_MAX + 8], results[PATH_MAX + 64], inject[32];
static sigset_t waited_for;

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static void append(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		err(1, "%s", path);
	close(fd);
}

static bool is_script(void)
{
	return is(suite, "cli") || is(suite, "kernel") || is(suite, "vm") || is(suite, "programs") || is(suite, "model");
}

/*
 * In the child.  Most tests are over before perf's events are opened as a rule, 100 ms after threads start: by name they
 * are opened at once.  Scripts have it as users have, and so does mode fallback.
 */
static void set_mode(void)
{
	if (!is_script() && (is(mode, "default") || is(mode, "vprocs1") || is(mode, "onecpu") || is(mode, "inject")))
		setenv("UPCALL_SOURCE", "perf", 0);
	if (is(mode, "vprocs1")) {
		setenv("UPCALL_VPROCS", "1", 1);
	} else if (is(mode, "noperf")) {
		setenv("UPCALL_DISABLE", "perf", 1);
	} else if (is(mode, "fallback")) {
		setenv("UPCALL_DISABLE", env("FALLBACKS"), 1);
	} else if (is(mode, "bound")) {
		setenv("UPCALL_BOUND", "1", 1);
	} else if (is(mode, "bpf")) {
		snprintf(results, sizeof(results), "%s/upcalld", env("RESULTS"));
		setenv("UPCALL_SOCKET", results, 1);
	} else if (is(mode, "onecpu")) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(atoi(env("CPU")), &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			err(1, "sched_setaffinity");
	} else if (is(mode, "inject")) {
		static char upcall[PATH_MAX];

		snprintf(upcall, sizeof(upcall), "%s-inject/cli/upcall", env("BUILD"));
		setenv("UPCALL", upcall, 1);
		setenv("UPCALL_SLICE", "2ms", 1);
		setenv("UPCALL_INJECT", inject, 1);
	}
}

/* Whoever started us: under nohup, or behind a shell's &, some would be ignored. */
static void with_signals_as_usual(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void run(const char *name, const char *file)
{
	static char path[PATH_MAX], check[PATH_MAX];
	const char *program = is_script() ? "%s/tests/%s" : "%s/tests/%s/%s";
	int fd = open(log_file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644), none = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	with_signals_as_usual();
	dup2(none, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
	close(none);
	if (chdir(work))
		err(1, "%s", work);
	set_mode();
	if (is_script())
		snprintf(path, sizeof(path), program, env("ROOT"), file);
	else
		snprintf(path, sizeof(path), program, env("BUILD"), suite, name);
	snprintf(check, sizeof(check), "%s/tests/model/check", env("ROOT"));
	if (is(suite, "model"))
		execl(check, check, path, NULL);
	else if (is_script() || is(mode, "native"))
		execl(path, path, NULL);
	else
		execl(env("UPCALL"), env("UPCALL"), "run", "--", path, NULL);
	err(1, "%s", path);
}

static bool has_ended(pid_t pid, time_t end, int *ret_status)
{
	while (waitpid(pid, ret_status, WNOHANG) == 0) {
		struct timespec now, left = { 0 };

		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec >= end)
			return false;
		left.tv_sec = end - now.tv_sec;
		int sig = sigtimedwait(&waited_for, NULL, &left);

		if (sig > 0 && sig != SIGCHLD) {	/* all of it is to end */
			kill(-pid, SIGKILL);
			exit(BY_SIGNAL + sig);
		}
	}
	return true;
}

/* Its status, as a shell tells it. */
static int status_of(pid_t pid, time_t seconds)
{
	struct timespec began;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &began);
	if (has_ended(pid, began.tv_sec + seconds + 1, &status))
		return WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status);
	kill(-pid, SIGTERM);
	kill(-pid, SIGCONT);
	if (!has_ended(pid, began.tv_sec + seconds + 1 + GRACE_S, &status)) {
		kill(-pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	return TOO_LONG;
}

/* The last lines of the log, each after `before`. */
static char *last_lines(int most, const char *before)
{
	static char text[TAIL_BYTES + 1], lines[2 * TAIL_BYTES];
	FILE *log = fopen(log_file, "r"), *out = fmemopen(lines, sizeof(lines), "w");

	if (!log || !out)
		err(1, "%s", log_file);
	if (fseek(log, -TAIL_BYTES, SEEK_END))
		rewind(log);
	size_t n = fread(text, 1, TAIL_BYTES, log);
	char *at;

	while (n > 0 && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	for (at = text + n; at > text; at--)
		if (at[-1] == '\n' && --most == 0)
			break;
	for (char *line; n > 0 && (line = strsep(&at, "\n")) != NULL;)
		fprintf(out, "%s%s\n", before, line);
	fclose(out);
	fclose(log);
	return lines;
}

static void tell(const char *name, int status, long seconds)
{
	char line[512];

	snprintf(line, sizeof(line), "%s\n", status == 0 ? "pass" : status == SKIPPED ? "skip" : "fail");
	append(results, line);
	snprintf(line, sizeof(line), "%s %s %s %d\n", suite, mode, name, status);
	if (*env("STATE"))
		append(env("STATE"), line);
	if (status == 0)
		return;
	if (status == SKIPPED) {
		const char *why = last_lines(1, "");

		why += strncmp(why, "skip:", 5) ? 0 : 5 + strspn(why + 5, " ");
		printf("SKIP %s/%s [%s]: %s%s", suite, name, mode, why, *why ? "" : "\n");
		return;
	}
	if (status == TOO_LONG)
		snprintf(line, sizeof(line), "no end after %ld s", seconds);
	else
		snprintf(line, sizeof(line), "%s %d", status > BY_SIGNAL ? "signal" : "status",
			 status > BY_SIGNAL ? status - BY_SIGNAL : status);
	printf("FAIL %s/%s [%s]: %s%s%s\n%s", suite, name, mode, line, *inject ? ", UPCALL_INJECT=" : "", inject,
	       last_lines(TAIL_LINES, "    "));
}

static int remove_it(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	(void)st, (void)kind;
	return walk->level > 0 ? remove(path) : 0;
}

static void empty_folder(void)
{
	if (nftw(work, remove_it, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT))
		warn("%s", work);
}

static void one(const char *name, const char *file, int seconds)
{
	unsigned seed = 0;
	struct timespec began, ended;

	if (is(mode, "inject")) {
		if (getrandom(&seed, sizeof(seed), 0) < 0)
			err(1, "getrandom");
		snprintf(inject, sizeof(inject), "%u:all", seed >> 2);
		if (*env("UPCALL_INJECT"))
			snprintf(inject, sizeof(inject), "%s", env("UPCALL_INJECT"));
	}
	clock_gettime(CLOCK_MONOTONIC, &began);
	pid_t pid = fork();

	if (pid == 0)
		run(name, file);
	if (pid < 0)
		err(1, "fork");
	setpgid(pid, pid);
	int status = status_of(pid, seconds);

	clock_gettime(CLOCK_MONOTONIC, &ended);
	tell(name, status, ended.tv_sec - began.tv_sec);
	fflush(stdout);		/* one write, so that lines of tests that end together do not mix */
	empty_folder();
}

int main(int argc, char **argv)
{
	static char out[3 * TAIL_BYTES];

	if (argc < 4)
		errx(2, "usage: each SUITE MODE SECONDS [NAME FILE]...");
	suite = argv[1];
	mode = argv[2];
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	sigemptyset(&waited_for);
	sigaddset(&waited_for, SIGCHLD);
	sigaddset(&waited_for, SIGINT);
	sigaddset(&waited_for, SIGTERM);
	sigaddset(&waited_for, SIGHUP);
	sigprocmask(SIG_BLOCK, &waited_for, NULL);
	snprintf(work, sizeof(work), "%s/work.XXXXXX", env("RESULTS"));
	if (!mkdtemp(work))
		err(1, "%s", work);
	snprintf(log_file, sizeof(log_file), "%s.log", work);
	snprintf(results, sizeof(results), "%s/%s-%s", env("RESULTS"), suite, mode);
	for (int i = 4; i + 1 < argc; i += 2)
		one(argv[i], argv[i + 1], atoi(argv[3]));
	rmdir(work);
	unlink(log_file);
	return 0;
}
