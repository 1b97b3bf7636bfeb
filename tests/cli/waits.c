// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program whose threads wait for what the kernel and descriptors give, for the tools to describe:
 * one in a page fault, one asleep, one on a condition with a limit, ones in accept, poll, epoll_wait
 * and recv, one bound to a kernel thread of its own, three readers behind a writer, a crowd on a
 * condition, and a kernel thread that is none of the library's.
 *
 * usage: waits CROWD [NOFUSE]; says how it made the page fault wait, and which process, if not 0, is to be killed
 * so that this ends; then "ready", and goes on until its standard input ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FILE_NODE = 2, FILE_BYTES = 4096 };

pthread_mutex_t crowd_lock = PTHREAD_MUTEX_INITIALIZER, timed_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t crowd_cond = PTHREAD_COND_INITIALIZER, timed_cond = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t shared_table = PTHREAD_RWLOCK_INITIALIZER;
sem_t written;
int listener, pair[2], pipes[2][2], epoll;
pid_t server;				/* of the file system */
atomic_int arrived;			/* threads that are about to wait, but for the crowd */
volatile char *slow_page;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* A file system of one file, which never answers what is read of it. */
static void serve(int fuse)
{
	static char in[1 << 17];
	struct { struct fuse_out_header head; char body[256]; } out;

	for (;;) {
		if (read(fuse, in, sizeof(in)) < 0)
			_exit(0);
		const struct fuse_in_header *h = (const void *)in;
		struct fuse_attr attr = { .ino = h->nodeid, .mode = h->nodeid == FILE_NODE ? S_IFREG | 0600 : S_IFDIR | 0700,
					  .nlink = 1, .size = FILE_BYTES };
		size_t n = 0;

		memset(&out, 0, sizeof(out));
		out.head.unique = h->unique;
		if (h->opcode == FUSE_INIT) {
			struct fuse_init_out *o = (void *)out.body;

			*o = (struct fuse_init_out){ .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096 };
			n = sizeof(*o);
		} else if (h->opcode == FUSE_LOOKUP) {
			struct fuse_entry_out *o = (void *)out.body;

			attr.ino = FILE_NODE;
			attr.mode = S_IFREG | 0600;
			*o = (struct fuse_entry_out){ .nodeid = FILE_NODE, .attr = attr };
			n = sizeof(*o);
		} else if (h->opcode == FUSE_GETATTR) {
			struct fuse_attr_out *o = (void *)out.body;

			o->attr = attr;
			n = sizeof(*o);
		} else if (h->opcode == FUSE_OPEN) {
			n = sizeof(struct fuse_open_out);
		} else if (h->opcode == FUSE_READ || h->opcode == FUSE_FORGET || h->opcode == FUSE_INTERRUPT) {
			continue;
		} else {
			out.head.error = -38;	/* ENOSYS */
		}
		out.head.len = (uint32_t)(sizeof(out.head) + n);
		if (write(fuse, &out, out.head.len) < 0)
			perror("fuse");
	}
}

/* Mounted where only this process and its server see it, so that it goes with them. */
static bool map_fuse(void)
{
	char options[80], dir[] = "/tmp/waits.XXXXXX", path[64];
	int fuse = open("/dev/fuse", O_RDWR);

	if (fuse < 0 || unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || !mkdtemp(dir))
		return false;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (mount("waits", dir, "fuse", 0, options)) {
		rmdir(dir);
		return false;
	}
	pid_t parent = getpid();

	server = fork();
	if (server == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		close(0);
		close(1);
		serve(fuse);
	}
	close(fuse);
	snprintf(path, sizeof(path), "%s/slow", dir);
	int fd = open(path, O_RDONLY);

	if (fd >= 0)
		slow_page = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	return fd >= 0 && slow_page != MAP_FAILED;
}

/* Faults of this page are told to nobody. */
static bool map_userfault(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */);
	struct uffdio_api api = { .api = UFFD_API };
	void *page = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = { .range = { (uintptr_t)page, FILE_BYTES }, .mode = UFFDIO_REGISTER_MODE_MISSING };

	slow_page = page;
	return fd >= 0 && page != MAP_FAILED && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &range);
}

static void *faulter(void *arg)
{
	(void)arg;
	arrived++;
	return (void *)(long)*slow_page;
}

static void *sleeper(void *arg)
{
	(void)arg;
	arrived++;
	sleep(5000);
	return NULL;
}

static void *timed(void *arg)
{
	struct timespec until;

	arrived++;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 7000;
	pthread_mutex_lock(&timed_lock);
	pthread_cond_timedwait(&timed_cond, &timed_lock, &until);
	return arg;
}

static void *acceptor(void *arg)
{
	arrived++;
	accept(listener, NULL, NULL);
	return arg;
}

static void *receiver(void *arg)
{
	char byte;

	arrived++;
	recv(pair[0], &byte, 1, 0);
	return arg;
}

static void *poller(void *arg)
{
	struct pollfd fds[2] = { { pipes[0][0], POLLIN, 0 }, { pipes[1][0], POLLIN, 0 } };

	arrived++;
	poll(fds, 2, 6000 * 1000);
	return arg;
}

static void *epoller(void *arg)
{
	struct epoll_event event;

	arrived++;
	epoll_wait(epoll, &event, 1, -1);
	return arg;
}

static void *bound(void *arg)
{
	if (setpriority(PRIO_PROCESS, 0, 1))
		die("setpriority");
	arrived++;
	sleep(5000);
	return arg;
}

static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&shared_table);
	for (int i = 0; i < 3; i++)
		sem_post(&written);
	arrived++;
	sleep(86400);
	return arg;
}

static void *reader(void *arg)
{
	sem_wait(&written);
	arrived++;
	pthread_rwlock_rdlock(&shared_table);
	return arg;
}

static void *crowd(void *arg)
{
	long *in = arg;

	pthread_mutex_lock(&crowd_lock);
	(*in)++;
	while (*in)
		pthread_cond_wait(&crowd_cond, &crowd_lock);
	return NULL;
}

/* Calls nothing of libc: it has no thread pointer of its own. */
static int foreign(void *arg)
{
	long ret;

	(void)arg;
	do
		__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_pause) : "rcx", "r11", "memory");
	while (ret);
	return 0;
}

static void start(const char *name, void *(*fn)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	if (pthread_create(&t, &attr, fn, arg)) {
		fputs("pthread_create\n", stderr);
		exit(1);
	}
	if (name)
		pthread_setname_np(t, name);
}

int main(int argc, char **argv)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const char *fault = argc < 3 && map_fuse() ? "fuse" : map_userfault() ? "userfaultfd" : "none";
	int size = argc > 1 ? atoi(argv[1]) : 10, others = 10 + (strcmp(fault, "none") != 0);
	static char stack[16384] __attribute__((aligned(16)));
	static long in;
	char byte;

	listener = socket(AF_INET, SOCK_STREAM, 0);
	epoll = epoll_create1(0);
	if (bind(listener, (void *)&here, sizeof(here)) || listen(listener, 5) || epoll < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(pipes[0]) || pipe(pipes[1]))
		die("waits");
	if (strcmp(fault, "none") != 0)
		start("faulter", faulter, NULL);
	start("timed", timed, NULL);
	start("acceptor", acceptor, NULL);
	start("receiver", receiver, NULL);
	start("poller", poller, NULL);
	start("epoller", epoller, NULL);
	start("bound", bound, NULL);
	start("writer", writer, NULL);
	for (int i = 0; i < 3; i++)
		start("reader", reader, NULL);
	for (int i = 0; i < size; i++)
		start(NULL, crowd, &in);
	if (clone(foreign, stack + sizeof(stack), CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		  CLONE_SYSVSEM, NULL) < 0)
		die("clone");
	for (long seen = -1; seen < size || arrived < others; usleep(10000)) {
		pthread_mutex_lock(&crowd_lock);
		seen = in;
		pthread_mutex_unlock(&crowd_lock);
	}
	/* After those that wait for descriptors: the first of all, with nothing beside it, might sleep in the kernel. */
	start("sleeper", sleeper, NULL);
	while (arrived <= others)
		usleep(10000);
	usleep(300 * 1000);
	printf("fault: %s\nserver: %d\nlistener %d pair %d pipes %d %d epoll %d\nready\n", fault, server, listener,
	       pair[0], pipes[0][0], pipes[1][0], epoll);
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	_exit(0);
}
