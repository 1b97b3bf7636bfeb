// SPDX-License-Identifier: BSD-2-Clause
// splice and sendfile move data between files, pipes and sockets and wait for it.
#include "../harness.h"
#include <sys/sendfile.h>

static int p[2], s[2];

static void *splicer(void *arg)
{
	int out = (int)(intptr_t)arg;
	ssize_t total = 0, n;

	while ((n = splice(p[0], NULL, out, NULL, 4096, 0)) > 0)
		total += n;
	CHECK_EQ(n, 0);
	return (void *)total;
}

static void *sender(void *arg)
{
	off_t at = 0;

	while (at < 8000)
		CHECK(sendfile(s[0], (int)(intptr_t)arg, &at, (size_t)(8000 - at)) > 0);
	CHECK_OK(close(s[0]));
	return NULL;
}

int main(void)
{
	int fd = open(fresh_path(), O_RDWR | O_CREAT | O_EXCL, 0600);
	char buf[1000];
	ssize_t n, total = 0;
	pthread_t t;

	CHECK(fd >= 0);
	CHECK_OK(pipe(p));
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	memset(buf, 'z', sizeof buf);
	t = spawn(splicer, (void *)(intptr_t)fd);
	for (int i = 0; i < 8; i++) {
		sleep_ms(1);
		CHECK_EQ(write(p[1], buf, sizeof buf), (ssize_t)sizeof buf);
	}
	CHECK_OK(close(p[1]));
	CHECK_EQ((intptr_t)join(t), 8000);
	t = spawn(sender, (void *)(intptr_t)fd);
	while ((n = read(s[1], buf, sizeof buf)) > 0)
		total += n;
	CHECK_EQ(total, 8000);
	join(t);
}

__attribute__((destructor)) static void clean(void)
{
	char path[64];

	snprintf(path, sizeof path, "/tmp/upcall-test-%d-0", (int)getpid());
	unlink(path);
}
