// SPDX-License-Identifier: BSD-2-Clause
#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77			/* Linux 6.5 */
#endif
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83		/* Linux 6.16 */
#endif

enum { WAITING_MAX = 64, WAITING_PER_USER = 16, PATIENCE_S = 1, PAUSE_S = 1 };

/* A connection that has not said anything yet. */
struct caller {
	struct watch watch;
	struct ucred who;
	int pidfd;			/* of who connected, from the beginning; -1 when the table has it */
	time_t since;
	uint64_t number;		/* in the order in which they came */
	bool is_used;
};

static struct caller callers[WAITING_MAX];
static struct watch door;
static const char *door_path;
static bool is_shut;			/* nobody is let in, since descriptors are short */
static time_t shut_since;

static time_t now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/*
 * Descriptors that a client has sent, unread ones too, are closed by who takes the message off its queue, or closes the
 * connection; and a socket among them may wait for its peer to read what is left (SO_LINGER), until a signal comes.  So
 * where descriptors cannot be refused, messages are looked at only, and a child does the rest.
 */
static bool is_sent_rights = true;

/* The child: keeps nothing else of the daemon's, and waits until that has closed the connection, and with it `end`. */
static _Noreturn void drain(int connection, int end)
{
	enum { PATIENCE = 2 };
	char bytes[256];

	alarm(PATIENCE);
	dup2(connection, 0);
	dup2(end, 1);
	close_range(2, ~0u, 0);
	(void)!read(1, bytes, 1);
	while (recv(0, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)	/* what is unread is an error to the client */
		;
	_exit(0);
}

static void close_connection(int fd)
{
	int ends[2];

	if (!is_sent_rights || pipe2(ends, O_CLOEXEC)) {
		close(fd);
		return;
	}
	if (fork() == 0)
		drain(fd, ends[0]);
	close(fd);
	close(ends[0]);
	close(ends[1]);
}

static void hang_up(struct caller *c)
{
	watch_remove(&c->watch);
	close_connection(c->watch.fd);
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->is_used = false;
}

static void answer(struct caller *c, struct abi_welcome *welcome, const int *fds, unsigned nfds)
{
	struct iovec part = { welcome, sizeof(*welcome) };
	union {
		char room[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control = { .room = { 0 } };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	welcome->magic = ABI_MAGIC;
	welcome->version = ABI_VERSION;
	if (nfds) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		struct cmsghdr *head = CMSG_FIRSTHDR(&message);

		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memcpy(CMSG_DATA(head), fds, nfds * sizeof(int));
	}
	/* One that has gone, or does not read, has lost; its end is noticed by its pidfd. */
	sendmsg(c->watch.fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static bool is_of_user(pid_t pid, uid_t uid)
{
	char path[32], line[128];
	unsigned id;
	bool is_his = false;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *f = fopen(path, "re");

	while (f && !is_his && fgets(line, sizeof(line), f))
		is_his = sscanf(line, "Uid: %*u %u", &id) == 1 && id == uid;
	if (f)
		fclose(f);
	return is_his;
}

/*
 * Who connected: the kernel's own reference to it, where it gives one.  Before Linux 6.5 a process that has ended
 * since may have left its pid to another, but not to one of another user: that one is not taken for it.
 */
static int open_pidfd(int connection, const struct ucred *who)
{
	int fd = -1;
	socklen_t len = sizeof(fd);

	if (getsockopt(connection, SOL_SOCKET, SO_PEERPIDFD, &fd, &len) == 0)
		return fd;
	if (errno != ENOPROTOOPT)
		return -1;
	fd = (int)syscall(SYS_pidfd_open, who->pid, 0);
	if (fd >= 0 && !is_of_user(who->pid, who->uid)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Others may keep its connection when it has ended, and its pid may be another's by then. */
static bool has_ended(const struct caller *c)
{
	struct pollfd end = { .fd = c->pidfd, .events = POLLIN };

	return poll(&end, 1, 0) != 0;
}

/* As many refusals as a client likes, but not as many lines. */
static void say_refused(const struct caller *c, const char *why)
{
	static time_t said_at;
	static unsigned unsaid;

	if (said_at == now_s()) {
		unsaid++;
		return;
	}
	if (unsaid)
		say("and %u more were refused", unsaid);
	unsaid = 0;
	said_at = now_s();
	say("process %d of user %u refused: %s", c->who.pid, c->who.uid, why);
}

/* What is said of a process that is admitted to nothing, or NULL. */
static const char *what_is_wrong(const struct caller *c, int *ret_err)
{
	*ret_err = ESRCH;
	if (c->who.pid <= 0 || c->pidfd < 0)
		return "a process that upcalld cannot see";
	if (has_ended(c))
		return "the process that connected has ended";
	*ret_err = EACCES;
	/* It has executed a set-user-ID program since. */
	return is_of_user(c->who.pid, c->who.uid) ? NULL : "the process that connected is another user's by now";
}

static void admit(struct caller *c, struct abi_welcome *welcome, __u32 wishes)
{
	int fds[2] = { -1, -1 };
	const char *why = kernel_sources() ? what_is_wrong(c, &welcome->error) : "upcalld tells of no blocks";

	if (why) {
		welcome->error = kernel_sources() ? welcome->error : ENOTSUP;
		snprintf(welcome->text, sizeof(welcome->text), "%s", why);
	} else {
		__u64 token = 0;
		uint64_t secret = 0;

		welcome->error = -table_admit(c->who.pid, c->who.uid, c->pidfd, &secret, &fds[0], welcome->text,
					      sizeof(welcome->text));
		token = secret;
		welcome->token = token;
		welcome->page_bytes = ABI_PAGE_BYTES;
		welcome->sources = welcome->error ? 0 : ABI_BPF;
		if (!welcome->error && wishes & ABI_SCX && kernel_sources() & ABI_SCX &&
		    table_admit_to_scheduler(c->who.pid, &fds[1]) == 0)
			welcome->sources |= ABI_SCX;
	}
	if (welcome->error)
		say_refused(c, welcome->text);
	else
		c->pidfd = -1;
	answer(c, welcome, fds, (fds[0] >= 0) + (fds[1] >= 0));
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static void give_share(struct caller *c, struct abi_welcome *welcome)
{
	const char *why = what_is_wrong(c, &welcome->error);
	int fd = -1;

	if (!why) {
		welcome->error = -share_admit(c->who.pid, c->who.uid, c->pidfd, &fd);
		why = strerror(welcome->error);
	}
	if (welcome->error) {
		snprintf(welcome->text, sizeof(welcome->text), "no share of the processors: %s", why);
	} else {
		welcome->sources = ABI_SHARE;
		c->pidfd = -1;
	}
	answer(c, welcome, &fd, fd >= 0);
	if (fd >= 0)
		close(fd);
}

static void on_message(void *arg)
{
	struct caller *c = arg;
	struct abi_hello hello = { 0 };
	struct abi_welcome welcome = { 0 };
	ssize_t n = recv(c->watch.fd, &hello, sizeof(hello), MSG_DONTWAIT | MSG_TRUNC | (is_sent_rights ? MSG_PEEK : 0));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n != sizeof(hello) || hello.magic != ABI_MAGIC) {
		/* Nobody who knows us. */
	} else if (hello.version != ABI_VERSION) {
		welcome.error = EPROTO;
		snprintf(welcome.text, sizeof(welcome.text), "upcalld speaks version %u, the process %u",
			 ABI_VERSION, hello.version);
		answer(c, &welcome, NULL, 0);
	} else if (hello.sources == (__u32)ABI_STATUS) {
		welcome.sources = kernel_sources() | (share_is_on() ? ABI_SHARE : 0);
		table_status(welcome.text, sizeof(welcome.text));
		answer(c, &welcome, NULL, 0);
	} else if (hello.sources == ABI_SHARE) {
		give_share(c, &welcome);
	} else {
		admit(c, &welcome, hello.sources);
	}
	hang_up(c);
}

/*
 * Where a user has as many silent ones as it may, or there is no place at all, the one that has been silent for longest
 * makes room: who speaks at once is heard, however many others of the same user do not.
 */
static struct caller *place_for(uid_t uid)
{
	struct caller *free_one = NULL, *oldest = NULL, *oldest_of_user = NULL;
	unsigned of_user = 0;

	for (struct caller *c = callers; c < callers + WAITING_MAX; c++) {
		if (!c->is_used) {
			free_one = c;
			continue;
		}
		if (!oldest || c->number < oldest->number)
			oldest = c;
		if (c->who.uid != uid)
			continue;
		of_user++;
		if (!oldest_of_user || c->number < oldest_of_user->number)
			oldest_of_user = c;
	}
	if (of_user < WAITING_PER_USER && free_one)
		return free_one;
	struct caller *place = of_user < WAITING_PER_USER ? oldest : oldest_of_user;

	on_message(place);		/* it may have spoken by now */
	if (place->is_used)
		hang_up(place);
	return place;
}

/* A connection that cannot be accepted stays at the door, which would call again at once. */
static void shut(int err)
{
	if (err != EMFILE && err != ENFILE && err != ENOBUFS && err != ENOMEM)
		return;
	watch_remove(&door);
	is_shut = true;
	shut_since = now_s();
	say("accepts nobody for a moment: %s", strerror(err));
}

static void on_connection(void *arg)
{
	static uint64_t number;
	struct ucred who;
	socklen_t len = sizeof(who);
	int fd = accept4(door.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)arg;
	if (fd < 0) {
		shut(errno);
		return;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len)) {
		close_connection(fd);
		return;
	}
	struct caller *c = place_for(who.uid);

	*c = (struct caller){ { on_message, c, fd }, who, open_pidfd(fd, &who), now_s(), number++, true };
	if (watch_add(&c->watch))
		hang_up(c);
}

void server_tick(void)
{
	time_t now = now_s();

	for (struct caller *c = callers; c < callers + WAITING_MAX; c++)
		if (c->is_used && now - c->since > PATIENCE_S)
			hang_up(c);
	if (is_shut && now - shut_since >= PAUSE_S)
		is_shut = watch_add(&door) != 0;
}

static bool is_answered(const struct sockaddr_un *at)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool answered = fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0;

	if (fd >= 0)
		close(fd);
	return answered;
}

void server_open(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct stat st;

	strncpy(at.sun_path, path, sizeof(at.sun_path) - 1);
	if (is_answered(&at))
		die("%s: there is an upcalld already", path);
	/* What an upcalld that was killed has left. */
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
		unlink(path);
	door = (struct watch){ on_connection, NULL, socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) };
	mode_t mask = umask(0);		/* everybody may ask */
	int no = 0;

	is_sent_rights = setsockopt(door.fd, SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof(no)) != 0;
	if (door.fd < 0 || bind(door.fd, (struct sockaddr *)&at, sizeof(at)) || listen(door.fd, SOMAXCONN) ||
	    watch_add(&door))
		die("%s: %s", path, strerror(errno));
	umask(mask);
	door_path = path;
}

void server_close(void)
{
	unlink(door_path);
	close(door.fd);
}
