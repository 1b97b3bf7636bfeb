// SPDX-License-Identifier: BSD-2-Clause
// Of signal(7)'s calls that are "automatically restarted ... if the SA_RESTART flag was used", each ends with EINTR
// where it was not used, and goes on where it was: the signal is sent to the waiting thread, and to the process, of
// which it alone admits it.
#include "../interrupted.h"
#include <linux/futex.h>
#include <mqueue.h>
#include <sys/file.h>
#include <sys/uio.h>

static char fifo[64], path[64];
static int lock, mine, tty[2], full_pipe[2], full_socket[2], empty[2], busy, quiet, ask[2];
static struct sockaddr_storage busy_at, quiet_at;
static socklen_t busy_size, quiet_size;
static mqd_t empty_queue, full_queue;
static pid_t holder;
static atomic_int word;
static sem_t never;
static char c;

static long reads_tty(void) { return read(tty[1], &c, 1); }
static void type(void) { CHECK_EQ(write(tty[0], "\n", 1), 1); }

static long writes_pipe(void) { return write(full_pipe[1], "x", 1); }
static void empty_pipe(void) { char all[4096]; CHECK_EQ(read(full_pipe[0], all, sizeof(all)), sizeof(all)); }

static long opens_fifo(void) { return open(fifo, O_RDONLY); }
static void open_other_end(void) { CHECK(open(fifo, O_WRONLY) >= 0); }

static long waits_for_child(void) { int status; return waitpid(holder, &status, 0) == holder ? 0 : -1; }
static void end_child(void) { CHECK_EQ(write(ask[1], "x", 1), 1); }

static long accepts(void) { return accept(quiet, NULL, NULL); }
static void connect_to_it(void) { wait_connect(&quiet_at, quiet_size); }

static long connects(void)
{
	return connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&busy_at, busy_size);
}

static void accept_others(void) { CHECK(accept(busy, NULL, NULL) >= 0); }

static long receives(void)
{
	struct iovec at = { &c, 1 };

	return recvmsg(empty[0], &(struct msghdr){ .msg_iov = &at, .msg_iovlen = 1 }, 0);
}

static void send_one(void) { CHECK_EQ(send(empty[1], "x", 1, 0), 1); }

static long sends(void)
{
	struct iovec at = { &c, 1 };

	return sendmsg(full_socket[1], &(struct msghdr){ .msg_iov = &at, .msg_iovlen = 1 }, 0);
}

static void empty_socket(void)
{
	char all[4096];

	while (recv(full_socket[0], all, sizeof(all), MSG_DONTWAIT) > 0)
		;
}

static long locks(void) { return flock(mine, LOCK_EX); }
static void unlock(void) { CHECK_OK(flock(lock, LOCK_UN)); }

static long locks_by(int how, off_t start)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = 1 };

	return fcntl(mine, how, &l);
}

static long locks_record(void) { return locks_by(F_SETLKW, 0); }
static void nothing_more(void) { }

static long locks_for_file(void) { return locks_by(F_OFD_SETLKW, 1); }

static void unlock_for_file(void)
{
	CHECK_OK(fcntl(lock, F_OFD_SETLK, &(struct flock){ .l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = 1 }));
}

static long takes(void) { return mq_receive(empty_queue, &c, 1, NULL); }
static void put(void) { CHECK_OK(mq_send(empty_queue, "x", 1, 0)); }

static long puts_in_time(void)
{
	struct timespec end = in_ms(CLOCK_REALTIME, 1000 * WATCHDOG_SECONDS);

	return mq_timedsend(full_queue, "x", 1, 0, &end);
}

static void take(void) { CHECK_EQ(mq_receive(full_queue, &c, 1, NULL), 1); }

static long waits_for_word(void)
{
	long rc = syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);

	return rc == -1 && errno == EAGAIN ? 0 : rc;	/* changed meanwhile */
}

static void change_word(void)
{
	word = 1;
	syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static long waits_for_post(void) { return sem_wait(&never); }
static void post(void) { CHECK_OK(sem_post(&never)); }

static const struct wait waits[] = {
	{ "read of a terminal", reads_tty, type, 1 },
	{ "write to a pipe", writes_pipe, empty_pipe, 1 },
	{ "open of a FIFO", opens_fifo, open_other_end, A_DESCRIPTOR },
	{ "accept", accepts, connect_to_it, A_DESCRIPTOR },
	{ "connect", connects, accept_others, 0 },
	{ "recvmsg", receives, send_one, 1 },
	{ "sendmsg", sends, empty_socket, 1 },
	{ "flock", locks, unlock, 0 },
	{ "waitpid", waits_for_child, end_child, 0 },
	{ "fcntl F_SETLKW", locks_record, nothing_more, 0 },
	{ "fcntl F_OFD_SETLKW", locks_for_file, unlock_for_file, 0 },
	{ "futex", waits_for_word, change_word, 0 },
	{ "sem_wait", waits_for_post, post, 0 },
	{ "mq_receive", takes, put, 1 },
	{ "mq_timedsend", puts_in_time, take, 0 },
};

enum { ALL = sizeof(waits) / sizeof(*waits), QUEUES = 2 };

/* Another process holds the first byte's lock until it is asked to end. */
static void hold(void)
{
	int ready[2];

	CHECK_OK(pipe(ask));
	CHECK_OK(pipe(ready));
	holder = fork_watched();
	if (holder == 0) {
		CHECK_OK(locks_by(F_SETLK, 0));
		CHECK_EQ(write(ready[1], "x", 1), 1);
		CHECK_EQ(read(ask[0], &c, 1), 1);
		_exit(0);
	}
	CHECK_EQ(read(ready[0], &c, 1), 1);
}

static void prepare_files(void)
{
	struct flock second = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1 };
	static const char page[4096];

	tty[0] = posix_openpt(O_RDWR | O_NOCTTY);
	CHECK(tty[0] >= 0 && !grantpt(tty[0]) && !unlockpt(tty[0]));
	tty[1] = open(ptsname(tty[0]), O_RDWR | O_NOCTTY);
	CHECK(tty[1] >= 0);
	CHECK_OK(pipe(full_pipe));
	CHECK_EQ(fcntl(full_pipe[1], F_SETPIPE_SZ, 4096), 4096);
	CHECK_EQ(write(full_pipe[1], page, sizeof(page)), sizeof(page));
	strcpy(fifo, fresh_path());
	CHECK_OK(mkfifo(fifo, 0600));
	strcpy(path, fresh_path());
	lock = open(path, O_RDWR | O_CREAT, 0600);
	mine = open(path, O_RDWR);
	hold();
	CHECK_OK(unlink(path));
	CHECK_OK(flock(lock, LOCK_EX));
	CHECK_OK(fcntl(lock, F_OFD_SETLK, &second));
}

static void prepare_sockets(void)
{
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, empty));
	wait_full_pair(full_socket);
	quiet = wait_listen(4, &quiet_at, &quiet_size);
	busy = wait_listen(0, &busy_at, &busy_size);
	wait_connect(&busy_at, busy_size);
}

static mqd_t queue(void)
{
	struct mq_attr a = { .mq_maxmsg = 1, .mq_msgsize = 1 };
	char name[40];

	snprintf(name, sizeof name, "/upcall-test-%d", (int)getpid());

	mqd_t q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a);

	mq_unlink(name);
	return q;
}

int main(void)
{
	int n = ALL;

	empty_queue = queue();
	full_queue = queue();
	if (full_queue == (mqd_t)-1)
		n -= QUEUES;
	else
		CHECK_OK(mq_send(full_queue, "x", 1, 0));
	CHECK_OK(sem_init(&never, 0, 0));
	prepare_files();
	prepare_sockets();
	all_are_ended(waits, n, 0);
	to_process = true;
	all_are_ended(waits, n, 0);
	all_are_restarted(waits, n);
	CHECK_OK(unlink(fifo));
}
