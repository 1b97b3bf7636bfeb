// SPDX-License-Identifier: BSD-2-Clause
#include "admit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "../arch/arch.h"

static void set_patience(int fd, unsigned ms)
{
	struct timeval t = { (time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000) };

	arch_syscall5(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, (long)&t, sizeof(t));
	arch_syscall5(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, (long)&t, sizeof(t));
}

static int receive(int fd, struct abi_welcome *welcome, int ret_fds[2])
{
	struct iovec part = { welcome, sizeof(*welcome) };
	union {
		char room[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	long n = arch_syscall3(SYS_recvmsg, fd, (long)&message, MSG_CMSG_CLOEXEC);

	if (n < 0)
		return (int)n;
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	if (n != sizeof(*welcome) || welcome->magic != ABI_MAGIC)
		return -EPROTO;
	welcome->text[sizeof(welcome->text) - 1] = 0;
	return -welcome->error;
}

static int talk(int fd, const struct sockaddr_un *at, uint32_t sources, struct abi_welcome *welcome, int ret_fds[2])
{
	struct abi_hello hello = { ABI_MAGIC, ABI_VERSION, sources, 0 };
	long err = arch_syscall3(SYS_connect, fd, (long)at, sizeof(*at));

	if (err < 0)
		return (int)err;
	err = arch_syscall6(SYS_sendto, fd, (long)&hello, sizeof(hello), MSG_NOSIGNAL, 0, 0);
	return err < 0 ? (int)err : receive(fd, welcome, ret_fds);
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
	set_patience(fd, patience_ms);
	int ret = talk(fd, &at, sources, ret_welcome, ret_fds);

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
