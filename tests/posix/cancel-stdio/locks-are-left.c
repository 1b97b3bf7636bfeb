// SPDX-License-Identifier: BSD-2-Clause
// Who is cancelled while stdio waits for it (POSIX, 2.9.5.2: these calls may be cancellation points, and leave what a
// call leaves that fails with EINTR) holds neither the stream's lock (flockfile) nor that of the list of all streams
// afterwards: other threads go on with them.
#include "../cancel.h"

static int to_in[2], from_out[2];
static FILE *in, *out, *unbuffered, *closed;

static void with_fgets(void *arg UNUSED)
{
	char line[16];

	(void)!fgets(line, sizeof line, in);
}

static void with_getline(void *arg)
{
	char **line = arg;
	size_t n = 0;

	(void)!getline(line, &n, in);
}

static void with_fscanf(void *arg UNUSED)
{
	int n;

	(void)!fscanf(in, "%d", &n);
}

static void with_fprintf(void *arg UNUSED)
{
	fprintf(unbuffered, "lost %d\n", 1);
}

static void with_fwrite(void *arg UNUSED)
{
	static const char zeros[3 * BUFSIZ];

	(void)!fwrite(zeros, sizeof zeros, 1, out);
}

static void with_fflush(void *arg UNUSED)
{
	putc('x', out);
	fflush(out);
}

static void with_fflush_all(void *arg UNUSED)
{
	putc('x', out);
	fflush(NULL);
}

static void with_fclose(void *arg UNUSED)
{
	putc('x', closed);
	fclose(closed);
}

/* Main is another thread than the one that was cancelled. */
static void check(void (*call)(void *), void *arg, FILE *f)
{
	FILE *other;

	check_cancels(call, arg);
	CHECK_OK(ftrylockfile(f));
	funlockfile(f);
	other = fopen("/dev/null", "r");	/* enters the list */
	CHECK(other != NULL);
	CHECK_OK(fclose(other));
}

static void fill(int fd)
{
	char block[4096] = { 0 };

	CHECK_OK(fcntl(fd, F_SETFL, O_NONBLOCK));
	while (write(fd, block, sizeof block) > 0)
		;
	CHECK_EQ(errno, EAGAIN);
	CHECK_OK(fcntl(fd, F_SETFL, 0));
}

/* What the last bytes are that come out; the pipe is empty then. */
static void drain(int fd, char *ret_last, size_t n)
{
	char block[4096];
	ssize_t r;

	CHECK_OK(fcntl(fd, F_SETFL, O_NONBLOCK));
	while ((r = read(fd, block, sizeof block)) > 0)
		if ((size_t)r >= n)
			memcpy(ret_last, block + r - n, n);
	CHECK_EQ(errno, EAGAIN);
}

int main(void)
{
	char line[16], *got = NULL;

	CHECK_OK(pipe(to_in));
	CHECK_OK(pipe(from_out));
	in = fdopen(to_in[0], "r");
	out = fdopen(from_out[1], "w");
	unbuffered = fdopen(dup(from_out[1]), "w");
	setvbuf(unbuffered, NULL, _IONBF, 0);
	check(with_fgets, NULL, in);
	check(with_getline, &got, in);
	check(with_fscanf, NULL, in);
	fill(from_out[1]);
	check(with_fprintf, NULL, unbuffered);
	check(with_fwrite, NULL, out);
	check(with_fflush, NULL, out);
	check(with_fflush_all, NULL, out);
	for (int pending = 0; pending < 2; pending++) {
		closed = fdopen(dup(from_out[1]), "w");
		cancel_one(with_fclose, NULL, pending);
		CHECK_OK(fclose(fopen("/dev/null", "r")));
	}
	CHECK_EQ(write(to_in[1], "7\n", 2), 2);
	CHECK(fgets(line, sizeof line, in) == line);
	CHECK(!strcmp(line, "7\n"));
	drain(from_out[0], line, 4);
	CHECK_OK(fflush(out));
	drain(from_out[0], line, 4);
	CHECK(fputs("end\n", out) >= 0);
	CHECK_OK(fflush(out));
	drain(from_out[0], line, 4);
	CHECK(!memcmp(line, "end\n", 4));
	free(got);
}
