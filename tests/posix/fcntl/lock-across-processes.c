// SPDX-License-Identifier: BSD-2-Clause
// F_SETLKW waits for another process's lock; F_GETLK names that process; F_OFD_SETLKW works
// between threads.
#include "../harness.h"

static int fd, p[2];
static char path[64];

static void *body(void *arg UNUSED)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	CHECK_OK(fcntl(fd, F_SETLKW, &l));
	return NULL;
}

static void *ofd(void *arg UNUSED)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int mine = open(path, O_RDWR);

	for (int i = 0; i < 20; i++) {
		l.l_type = F_WRLCK;
		CHECK_OK(fcntl(mine, F_OFD_SETLKW, &l));
		if (i % 5 == 0)
			sleep_ms(1);
		l.l_type = F_UNLCK;
		CHECK_OK(fcntl(mine, F_OFD_SETLK, &l));
	}
	CHECK_OK(close(mine));
	return NULL;
}

int main(void)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	pthread_t t, o[3];
	int status;
	pid_t pid;
	char c;

	strcpy(path, fresh_path());
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	CHECK_OK(pipe(p));
	pid = fork_watched();
	if (pid == 0) {
		CHECK_OK(fcntl(fd, F_SETLK, &l));
		CHECK_EQ(write(p[1], "x", 1), 1);
		sleep_ms(100);
		_exit(0);
	}
	CHECK_EQ(read(p[0], &c, 1), 1);
	CHECK_OK(fcntl(fd, F_GETLK, &l));
	if (l.l_type == F_WRLCK)
		CHECK_EQ(l.l_pid, pid);
	t = spawn(body, NULL);
	join(t);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	l = (struct flock){ .l_type = F_UNLCK, .l_whence = SEEK_SET };
	CHECK_OK(fcntl(fd, F_SETLK, &l));
	spawn_many(o, 3, ofd);
	join_many(o, 3);
	CHECK_OK(unlink(path));
}
