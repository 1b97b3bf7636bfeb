// SPDX-License-Identifier: BSD-2-Clause
#include "daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../base/option.h"

static int poll_fd;
static bool is_over;
static bool is_told_of_blocks;		/* the programs are loaded */

void say(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(stderr, "upcalld: %s\n", line);
}

void die(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(stderr, "upcalld: %s\n", line);
	exit(1);
}

int watch_add(struct watch *w)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = w };

	return epoll_ctl(poll_fd, EPOLL_CTL_ADD, w->fd, &event) ? -errno : 0;
}

void watch_remove(struct watch *w)
{
	epoll_ctl(poll_fd, EPOLL_CTL_DEL, w->fd, NULL);
}

static void help(void)
{
	puts("usage: upcalld [OPTIONS]\n"
	     "       upcalld --status [--socket=PATH]\n"
	     "\n"
	     "Loads small programs into the kernel that tell the threads systems of admitted\n"
	     "processes when their kernel threads block and wake up.  Runs in the foreground,\n"
	     "says what it does on standard error, and takes all of it back when it ends.\n"
	     "\n"
	     "  --socket=PATH    where processes ask to be admitted (default: " ABI_SOCKET ")\n"
	     "  --processes=N    admit so many at a time (default and limit: 1024)\n"
	     "  --per-user=N     and so many of one user other than root (default: 256)\n"
	     "  --sched-ext      also schedule them, where the kernel can (sched_ext)\n"
	     "  --share[=upcall] share the processors out between those programs: each is told\n"
	     "                   how many to use; all others count as one more, but for\n"
	     "                   =upcall.  Without the right to load programs into the kernel,\n"
	     "                   only this\n"
	     "  --status         ask the running daemon how it is; 1 if there is none\n"
	     "  --verbose        say also what the kernel says when it refuses a program\n"
	     "  --help           this text");
}

static unsigned read_number(const char *option, const char *text, unsigned most)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || n < 1 || n > most)
		die("%s wants a number from 1 to %u, not '%s'", option, most, text);
	return (unsigned)n;
}

static int ask_status(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct abi_hello hello = { ABI_MAGIC, ABI_VERSION, ABI_STATUS, 0 };
	struct abi_welcome answer = { 0 };
	struct timeval limit = { 2, 0 };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		die("a socket: %s", strerror(errno));
	strncpy(at.sun_path, path, sizeof(at.sun_path) - 1);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));		/* connect waits for room in the queue */
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		die("no upcalld listens at %s (%s): start it as root, or give --socket=PATH", path, strerror(errno));
	if (send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) != sizeof(hello) ||
	    recv(fd, &answer, sizeof(answer), 0) != sizeof(answer) || answer.magic != ABI_MAGIC)
		die("%s: no answer", path);
	answer.text[sizeof(answer.text) - 1] = 0;
	puts(answer.text);
	return answer.error ? 1 : 0;
}

/* Many descriptors; before Linux 5.11 also memory that counts as locked. */
static void raise_limits(void)
{
	struct rlimit files, all = { RLIM_INFINITY, RLIM_INFINITY };

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	setrlimit(RLIMIT_MEMLOCK, &all);
}

static void on_end(void *arg)
{
	struct signalfd_siginfo info;
	struct watch *w = arg;

	if (read(w->fd, &info, sizeof(info)) == sizeof(info))
		is_over = true;
}

static void watch_signals(void)
{
	static struct watch w = { on_end, &w, -1 };
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);	/* see close_connection */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	w.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w.fd < 0 || watch_add(&w))
		die("signalfd: %s", strerror(errno));
}

static void serve(void)
{
	while (!is_over) {
		/* One at a time: what is done for one event may take away the watch of another. */
		struct epoll_event event;
		int n = epoll_wait(poll_fd, &event, 1, share_tick());

		if (n == 1) {
			struct watch *w = event.data.ptr;

			w->fn(w->arg);
		}
		server_tick();
		if (is_told_of_blocks)
			table_make_ready(n == 0);
	}
}

int main(int argc, char **argv)
{
	enum { SOCKET = 256, PROCESSES, PER_USER, STATUS, SCHEDULER, SHARE, VERBOSE, HELP };
	static const struct option options[] = {
		{ "socket", required_argument, NULL, SOCKET },
		{ "processes", required_argument, NULL, PROCESSES },
		{ "per-user", required_argument, NULL, PER_USER },
		{ "sched-ext", no_argument, NULL, SCHEDULER },
		{ "share", optional_argument, NULL, SHARE },
		{ "status", no_argument, NULL, STATUS },
		{ "verbose", no_argument, NULL, VERBOSE },
		{ "help", no_argument, NULL, HELP },
		{ NULL, 0, NULL, 0 },
	};
	static const char letters[] = ":h";
	struct limits limits = { ABI_PROCESSES, 256 };
	const char *path = ABI_SOCKET;
	bool wants_status = false, is_verbose = false, wants_scheduler = false, wants_shares = false, counts_others = true;
	int c;

	setvbuf(stderr, NULL, _IOLBF, 0);
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		switch (c) {
		case SOCKET: path = optarg; break;
		case PROCESSES: limits.processes = read_number("--processes", optarg, ABI_PROCESSES); break;
		case PER_USER: limits.per_user = read_number("--per-user", optarg, ABI_PROCESSES); break;
		case STATUS: wants_status = true; break;
		case SCHEDULER: wants_scheduler = true; break;
		case SHARE:
			if (optarg && strcmp(optarg, "upcall"))
				die("--share wants no value, or 'upcall', not '%s'", optarg);
			wants_shares = true;
			counts_others = !optarg;
			break;
		case VERBOSE: is_verbose = true; break;
		case 'h':
		case HELP: help(); return 0;
		default: die("%s; see upcalld --help", option_problem(c, argv, letters));
		}
	}
	if (optind < argc)
		die("no argument is wanted ('%s'); see upcalld --help", argv[optind]);
	if (!*path)
		die("--socket wants a path, not ''");
	if (strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		die("the name of the socket is too long");
	if (wants_status)
		return ask_status(path);
	raise_limits();
	poll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (poll_fd < 0)
		die("epoll_create: %s", strerror(errno));
	watch_signals();
	int err = kernel_load(is_verbose);

	const char *hint = err == -EPERM ? " (it takes root, or CAP_BPF and CAP_PERFMON)" : "";

	if (err && !wants_shares)
		die("cannot load the programs: %s%s", strerror(-err), hint);
	if (err)
		say("tells of no blocks, and only shares processors out: cannot load the programs: %s%s", strerror(-err), hint);
	is_told_of_blocks = !err;
	err = wants_scheduler && is_told_of_blocks ? kernel_load_scheduler() : 0;
	if (err)
		say("goes on without its scheduler: %s", strerror(-err));
	if (is_told_of_blocks)
		table_init(&limits);
	if (wants_shares)
		share_start(limits.per_user, counts_others);
	server_open(path);
	say("ready on %s", path);
	serve();
	server_close();
	say("ended");
	return 0;
}
