// SPDX-License-Identifier: BSD-2-Clause
/*
 * A hostile client of upcalld.  client CASE:
 *
 *   page      is admitted, and tries to write its page in every way there is
 *   register  registers wrong slots, with wrong tokens, and from a forked child
 *   rubbish   sends messages of all lengths and contents, and connects and says nothing
 *   hoard     is admitted again and again, keeps each page, and is admitted when it has given them back
 *   heir      uses the connection of a process that has ended
 *   linger    sends sockets that take their time to close, and connections full of them
 *   exec      executes another program, of whose blocks who has the page is not told
 *   hold      is admitted and stays until killed
 *   slots     registers a thread in each slot that there is, and finds no other; and again, when those have ended
 *   follow    is admitted, and checks what its page says of a thread that blocks and wakes up
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../src/sys/admit.h"

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			printf("line %d: %s (%s)\n", __LINE__, #cond, strerror(errno));            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

static struct abi_welcome welcome;
static const volatile struct abi_slot *page;
static int page_fd = -1;

static void be_admitted(void)
{
	int fds[2], err = admit_ask(ABI_BPF, 1000, &welcome, fds);

	page_fd = fds[0];

	if (err) {
		printf("refused: %s\n", welcome.text[0] ? welcome.text : strerror(-err));
		exit(3);
	}
	page = mmap(NULL, ABI_PAGE_BYTES, PROT_READ, MAP_SHARED, page_fd, 0);
	CHECK(page != MAP_FAILED);
}

static bool enlist(unsigned long slot, __u64 token)
{
	__u32 life = slot < ABI_SLOTS ? page[slot].life : 0;

	CHECK(prctl(ABI_PRCTL, slot, token, 0, 0) == -1);
	return slot < ABI_SLOTS && page[slot].life != life;
}

static void write_page(void)
{
	struct abi_slot rubbish;
	__u32 key = 1;
	union bpf_attr attr;

	be_admitted();
	memset(&rubbish, 0xff, sizeof(rubbish));
	CHECK(mmap(NULL, ABI_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, page_fd, 0) == MAP_FAILED);
	CHECK(mprotect((void *)(uintptr_t)page, ABI_PAGE_BYTES, PROT_READ | PROT_WRITE) == -1);
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (__u32)page_fd;
	attr.key = (__u64)(uintptr_t)&key;
	attr.value = (__u64)(uintptr_t)&rubbish;
	CHECK(syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr)) == -1);
	CHECK(write(page_fd, &rubbish, sizeof(rubbish)) == -1);
	CHECK(enlist(1, welcome.token));
	CHECK(page[1].state == ABI_RUNNING);
}

static void register_wrongly(void)
{
	be_admitted();
	CHECK(!enlist(1, welcome.token + 1) && !enlist(1, 0));
	CHECK(!enlist(ABI_FIRST_VPROC, welcome.token) && !enlist(ABI_SLOTS, welcome.token));
	CHECK(!enlist(-1ul, welcome.token) && !enlist(1ul << 32, welcome.token));
	CHECK(enlist(ABI_FIRST_VPROC - 1, welcome.token));
	CHECK(enlist(1, welcome.token));

	/* It has moved: nobody writes its old slot any more. */
	__u32 seq = page[ABI_FIRST_VPROC - 1].seq;

	usleep(1000);
	CHECK(page[ABI_FIRST_VPROC - 1].seq == seq);

	pid_t child = fork();

	if (child == 0)
		_exit(enlist(2, welcome.token));
	int status;

	CHECK(waitpid(child, &status, 0) == child);
	CHECK(status == 0);

	/* Admitted again, as after execve: the old token is worth nothing, the old page says nothing of who has moved. */
	__u64 token = welcome.token;
	const volatile struct abi_slot *old = page;

	be_admitted();
	CHECK(!enlist(1, token));
	CHECK(enlist(1, welcome.token));
	seq = old[1].seq;
	usleep(1000);
	CHECK(old[1].seq == seq);
}

static int dial(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	strncpy(at.sun_path, getenv("UPCALL_SOCKET"), sizeof(at.sun_path) - 1);
	CHECK(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	return fd;
}

static void send_rubbish(void)
{
	static char text[70000];
	struct abi_hello hello = { ABI_MAGIC, ABI_VERSION + 1, ABI_BPF, 0 };
	struct timeval patience = { 5, 0 };

	srandom(1);
	for (int i = 0; i < 500; i++) {
		int fd = dial();

		for (size_t j = 0; j < sizeof(text); j += 997)
			text[j] = (char)random();
		send(fd, text, (size_t)random() % (i % 2 ? 40 : sizeof(text)), MSG_NOSIGNAL);
		close(fd);
	}
	int fd = dial();

	CHECK(send(fd, &hello, sizeof(hello), 0) == sizeof(hello));
	CHECK(recv(fd, &welcome, sizeof(welcome), 0) == sizeof(welcome) && welcome.error == EPROTO);
	/* More than there are places: each is dropped, for another or when the daemon's patience ends. */
	int silent[200];
	char byte;

	for (int i = 0; i < 200; i++) {
		silent[i] = dial();
		setsockopt(silent[i], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	}
	be_admitted();
	for (int i = 0; i < 200; i++)
		CHECK(recv(silent[i], &byte, 1, 0) == 0 || errno == ECONNRESET);
	be_admitted();
}

/* True when it is admitted: *ret_page is the caller's to unmap. */
static bool try_admission(void **ret_page)
{
	int fds[2];

	if (admit_ask(ABI_BPF, 1000, &welcome, fds))
		return false;
	*ret_page = mmap(NULL, ABI_PAGE_BYTES, PROT_READ, MAP_SHARED, fds[0], 0);
	CHECK(*ret_page != MAP_FAILED);
	close(fds[0]);
	return true;
}

static void hoard(void)
{
	enum { MANY = 100 };
	void *pages[MANY];
	int n = 0;

	while (n < MANY && try_admission(&pages[n]))
		n++;
	printf("%d pages, then: %s\n", n, welcome.text);
	CHECK(n < MANY && welcome.error == EUSERS);
	while (n > 0)
		munmap(pages[--n], ABI_PAGE_BYTES);
	/* An honest one unmaps what it had: it may come as often as it likes. */
	for (int i = 0; i < MANY; i++) {
		CHECK(try_admission(&pages[0]));
		munmap(pages[0], ABI_PAGE_BYTES);
	}
}

static int heirloom;

static int bequeath(void *arg)
{
	(void)arg;
	heirloom = dial();
	return 0;
}

static void inherit(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	struct abi_hello hello = { ABI_MAGIC, ABI_VERSION, ABI_BPF, 0 };
	pid_t first = clone(bequeath, stack + sizeof(stack), CLONE_VM | CLONE_FILES | SIGCHLD, NULL);

	CHECK(first > 0 && waitpid(first, NULL, 0) == first);
	CHECK(send(heirloom, &hello, sizeof(hello), MSG_NOSIGNAL) == sizeof(hello));
	CHECK(recv(heirloom, &welcome, sizeof(welcome), 0) == sizeof(welcome));
	CHECK(welcome.error == ESRCH);
}

/* What it has sent is read by nobody, and who closes it waits for that. */
static int lingering(const struct sockaddr_in *at)
{
	static char bytes[65536];
	struct linger patient = { 1, 100000 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0);
	while (send(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	CHECK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &patient, sizeof(patient)) == 0);
	return fd;
}

/* From Linux 6.16 on the daemon can refuse to be sent descriptors. */
static void send_rights(int fd, int sent)
{
	struct abi_hello hello = { ABI_MAGIC, ABI_VERSION, ABI_BPF, 0 };
	struct iovec part = { &hello, sizeof(hello) };
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .room = { 0 } };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = sizeof(control.room) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &sent, sizeof(sent));
	CHECK(sendmsg(fd, &message, MSG_NOSIGNAL) == sizeof(hello) || errno == EPERM || errno == EPIPE || errno == ECONNRESET);
}

static void linger(void)
{
	enum { CONNECTIONS = 40 };	/* more than one user may have at a time */
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&at, len) == 0 && listen(listener, 4 * CONNECTIONS) == 0 &&
	      getsockname(listener, (struct sockaddr *)&at, &len) == 0);
	for (int i = 0; i < CONNECTIONS; i++) {
		pid_t sender = fork();		/* who ends does not wait */

		if (sender == 0) {
			int fd = dial();

			send_rights(fd, lingering(&at));
			if (i % 2)
				send_rights(fd, lingering(&at));
			_exit(0);
		}
		CHECK(sender > 0 && waitpid(sender, NULL, 0) == sender);
	}
	be_admitted();
}

static atomic_int *shared_fd;		/* the page's: of the child; then, seen by the parent: -1 */

static int run_shell(void *arg)
{
	(void)arg;
	be_admitted();
	CHECK(enlist(1, welcome.token));
	*shared_fd = page_fd;
	while (*shared_fd != -1)
		usleep(1000);
	CHECK(page[1].nblocks > 0);
	execlp("sh", "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; done", NULL);
	return 1;
}

static void execute(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	int status;

	shared_fd = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared_fd != MAP_FAILED);
	pid_t child = clone(run_shell, stack + sizeof(stack), CLONE_FILES | SIGCHLD, NULL);

	CHECK(child > 0);
	while (*shared_fd <= 0)
		usleep(1000);
	page = mmap(NULL, ABI_PAGE_BYTES, PROT_READ, MAP_SHARED, *shared_fd, 0);
	CHECK(page != MAP_FAILED && page[1].state != ABI_NONE);
	*shared_fd = -1;
	for (int i = 0; i < 10000 && page[1].state != ABI_NONE; i++)
		usleep(1000);
	__u32 seq = page[1].seq;

	CHECK(waitpid(child, &status, WNOHANG) == 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(page[1].state == ABI_NONE && page[1].seq == seq);
}

static void hold(void)
{
	be_admitted();
	CHECK(enlist(1, welcome.token));
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}

static int tid_slot = 5, wake_pipe[2];
static atomic_int registered;

static int sleeper(void *arg)
{
	char byte;

	registered = enlist((unsigned long)tid_slot, welcome.token) ? 1 : 2;
	for (int i = 0; i < 1000; i++)
		if (read(wake_pipe[0], &byte, 1) != 1)
			return 1;
	(void)arg;
	return 0;
}

static bool is_in(unsigned state)
{
	for (int i = 0; i < 20000; i++) {
		if (page[tid_slot].state == state)
			return true;
		usleep(100);
	}
	return false;
}

static atomic_int enlisted, refused;
static atomic_bool may_go;

static void *take_slot(void *arg)
{
	unsigned long slot = (unsigned long)(uintptr_t)arg;

	if (!enlist(slot, welcome.token)) {
		refused++;
		return arg;
	}
	__u32 calls = page[slot].nblocks;

	enlisted++;
	do
		usleep(10000);
	while (!may_go);
	struct abi_slot is = page[slot];

	/* What a kernel misses (doc/checking.md), it misses once. */
	for (int i = 0; i < 3 && is.state != ABI_RUNNING; i++) {
		usleep(10000);
		is = page[slot];
	}
	if (is.state != ABI_RUNNING || is.nblocks == calls) {
		printf("slot %lu: state %u, seq %u, %u blocks, %u at first, call %d\n", slot, is.state, is.seq, is.nblocks,
		       calls, is.call);
		CHECK(is.state == ABI_RUNNING && is.nblocks != calls);
	}
	return arg;
}

static void take_all_slots(void)
{
	enum { MORE = 10, ALL = ABI_FIRST_VPROC + MORE };
	static pthread_t t[ALL];
	pthread_attr_t small;

	be_admitted();
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int round = 0; round < 2; round++) {
		enlisted = refused = 0;
		may_go = false;
		for (size_t i = 0; i < ALL; i++)
			CHECK(pthread_create(&t[i], &small, take_slot, (void *)i) == 0);
		while (enlisted + refused < ALL)
			usleep(1000);
		printf("%d of %d\n", enlisted, ALL);
		CHECK(enlisted == ABI_FIRST_VPROC && refused == MORE);
		may_go = true;
		for (size_t i = 0; i < ALL; i++)
			CHECK(pthread_join(t[i], NULL) == 0);
	}
	for (size_t i = 0; i < ABI_FIRST_VPROC; i++)	/* who has been joined is about to end */
		for (int n = 0; page[i].state != ABI_NONE; n++) {
			CHECK(n < 10000);
			usleep(1000);
		}
}

/* Every block and wake-up is told, in order, with times that grow, the call, and in the end the death. */
static void follow(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	const volatile struct abi_slot *slot;
	struct timespec t;

	be_admitted();
	slot = &page[tid_slot];
	CHECK(pipe(wake_pipe) == 0);
	CHECK(clone(sleeper, stack + sizeof(stack),
		    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL) > 0);
	CHECK(is_in(ABI_BLOCKED) && registered == 1);
	for (int i = 0, nmissed = 0; i < 1000; i++) {
		CHECK(is_in(i < 1000 ? ABI_BLOCKED : ABI_NONE));
		CHECK(slot->call == SYS_read);
		__u32 n = slot->nblocks;
		__u64 block_ns = slot->block_ns;

		clock_gettime(CLOCK_MONOTONIC, &t);
		__u64 now = (__u64)t.tv_sec * 1000000000 + (__u64)t.tv_nsec;

		CHECK(block_ns <= now && now - block_ns < 60000000000);
		CHECK(write(wake_pipe[1], "", 1) == 1);
		for (int j = 0; j < 20000 && slot->nblocks == n && slot->state != ABI_NONE; j++)
			sched_yield();
		nmissed += !(slot->wake_ns >= now && slot->in_ns >= slot->wake_ns);
		CHECK(nmissed <= 10);	/* as in take_slot */
	}
	CHECK(is_in(ABI_NONE));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} cases[] = {
		{ "page", write_page }, { "register", register_wrongly }, { "rubbish", send_rubbish },
		{ "hoard", hoard }, { "heir", inherit }, { "linger", linger }, { "exec", execute },
		{ "hold", hold }, { "slots", take_all_slots }, { "follow", follow },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].fn();
			return 0;
		}
	return 2;
}
