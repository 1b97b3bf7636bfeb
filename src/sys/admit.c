// SPDX-License-Identifier: BSD-2-Clause
#include "admit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>

#include "../arch/arch.h"

static long now_ms(void)
{
	struct timespec t = { 0 };

	arch_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What is left until then: to connect and to be answered, together. */
static void set_patience(int fd, int which, long until_ms)
{
	long left = until_ms - now_ms(), ms = left > 0 ? left : 1;	/* 0 would be no limit */
	struct timeval t = { ms / 1000, ms % 1000 * 1000 };

	arch_syscall5(SYS_setsockopt, fd, SOL_SOCKET, which, (long)&t, sizeof(t));
}

static int receive(int fd, long until_ms, struct abi_welcome *welcome, int ret_fds[2])
{
	struct iovec part = { welcome, sizeof(*welcome) };
	union {
		char room[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	long n;

	do {
		set_patience(fd, SO_RCVTIMEO, until_ms);
		n = arch_syscall3(SYS_recvmsg, fd, (long)&message, MSG_CMSG_CLOEXEC);
	} while (n == -EINTR && now_ms() < until_ms);	/* with a time limit a signal ends it, whatever its flags */
	if (n < 0)
		return n == -EINTR ? -EAGAIN : (int)n;
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	if (n != sizeof(*welcome) || welcome->magic != ABI_MAGIC)
		return -EPROTO;
	welcome->text[sizeof(welcome->text) - 1] = 0;
	return -welcome->error;
}

static int talk(int fd, const struct sockaddr_un *at, const struct abi_hello *hello, long until_ms,
		struct abi_welcome *welcome, int ret_fds[2])
{
	set_patience(fd, SO_SNDTIMEO, until_ms);
	long err = arch_syscall3(SYS_connect, fd, (long)at, sizeof(*at));

	if (err < 0)
		return (int)err;
	err = arch_syscall6(SYS_sendto, fd, (long)hello, sizeof(*hello), MSG_NOSIGNAL, 0, 0);
	if (err < 0)
		return (int)err;
	return receive(fd, until_ms, welcome, ret_fds);
}

int admit_ask(uint32_t sources, unsigned patience_ms, struct abi_welcome *ret_welcome, int ret_fds[2])
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const char *path = secure_getenv("UPCALL_SOCKET");
	size_t len;

	memset(ret_welcome, 0, sizeof(*ret_welcome));
	ret_fds[0] = ret_fds[1] = -1;
	path = path && *path ? path : ABI_SOCKET;
	len = strlen(path);
	if (len >= sizeof(at.sun_path))
		return -ENAMETOOLONG;
	memcpy(at.sun_path, path, len);
	/* Without a daemon this is all: no descriptor, no socket. */
	long err = arch_syscall2(SYS_access, (long)path, 0);

	if (err < 0)
		return (int)err;
	int fd = (int)arch_syscall3(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fd;
	struct abi_hello hello = { ABI_MAGIC, ABI_VERSION, sources, 0 };
	int ret = talk(fd, &at, &hello, now_ms() + (long)patience_ms, ret_welcome, ret_fds);

	arch_syscall1(SYS_close, fd);
	if (ret == 0 && ret_fds[0] < 0 && sources != (uint32_t)ABI_STATUS)
		ret = -EPROTO;
	for (int i = 0; ret < 0 && i < 2; i++) {
		if (ret_fds[i] >= 0)
			arch_syscall1(SYS_close, ret_fds[i]);
		ret_fds[i] = -1;
	}
	return ret;
}
