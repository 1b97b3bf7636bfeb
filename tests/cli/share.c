// SPDX-License-Identifier: BSD-2-Clause
/*
 * A client of upcalld --share by itself: share SOCKET COMMAND
 *   rubbish   writes whatever into its page, for a while, and is given a number that makes sense all the time
 *   want N    wants N processors, until it is killed; says what it is given when that changes
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <upcall/kernel.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static volatile struct upcall_kernel_share *ask(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct upcall_kernel_hello hello = { UPCALL_KERNEL_MAGIC, UPCALL_KERNEL_VERSION, UPCALL_KERNEL_SHARE, 0 };
	struct upcall_kernel_welcome welcome = { 0 };
	struct iovec part = { &welcome, sizeof(welcome) };
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0), page;

	strncpy(at.sun_path, path, sizeof(at.sun_path) - 1);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) || send(fd, &hello, sizeof(hello), 0) != sizeof(hello) ||
	    recvmsg(fd, &message, 0) != sizeof(welcome))
		die("asking");
	if (welcome.error) {
		printf("error %d: %s\n", welcome.error, welcome.text);
		exit(3);
	}
	memcpy(&page, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(page));
	close(fd);
	if (ftruncate(page, 1) == 0)
		die("the page can be cut off");
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);

	if (welcome.sources != UPCALL_KERNEL_SHARE || map == MAP_FAILED)
		die("mapping");
	close(page);
	return map;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int write_rubbish(volatile struct upcall_kernel_share *share, uint32_t most)
{
	for (int i = 0; i < 500; i++) {
		uint32_t rubbish = (uint32_t)rand();

		share->wanted = i % 3 ? rubbish : UINT32_MAX;
		share->process_ns = i % 2 ? now_ns() : (uint64_t)rubbish << 32;
		for (size_t j = 0; i % 5 == 0 && j < sizeof(share->spare) / sizeof(share->spare[0]); j++)
			share->spare[j] = rubbish;
		usleep(2000);
		if (share->given > most) {
			printf("given %u\n", share->given);
			return 1;
		}
	}
	return share->given ? 0 : 1;
}

int main(int argc, char **argv)
{
	volatile struct upcall_kernel_share *share = argc > 2 ? ask(argv[1]) : NULL;
	uint32_t given = 0;

	if (!share)
		return 2;
	if (strcmp(argv[2], "rubbish") == 0)
		return write_rubbish(share, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	for (share->wanted = (uint32_t)atoi(argv[3]);; usleep(20000)) {
		share->process_ns = now_ns();
		if (share->given == given)
			continue;
		given = share->given;
		printf("%u\n", given);
		fflush(stdout);
	}
}
