#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A ring that liburing made, and that is of one kernel thread alone (IORING_SETUP_DEFER_TASKRUN, a registered
# descriptor), stays its maker's among threads that wait.
. "$(dirname "$0")/lib.sh"

cat >"$dir/rings.c" <<'C'
#include <errno.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct io_uring { long room[128]; };	/* liburing.h may not be installed */

int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int io_uring_queue_init_params(unsigned entries, struct io_uring *ring, struct io_uring_params *p);
int io_uring_setup(unsigned entries, struct io_uring_params *p);
int io_uring_register(unsigned fd, unsigned opcode, const void *arg, unsigned n);
int io_uring_enter(unsigned fd, unsigned to_submit, unsigned min_complete, unsigned flags, void *mask);
int io_uring_register_ring_fd(struct io_uring *ring);
int io_uring_get_events(struct io_uring *ring);
void io_uring_queue_exit(struct io_uring *ring);

enum { CALLS = 300, OTHERS = 4, DISABLED = 1 << 6, SINGLE_ISSUER = 1 << 12, DEFER_TASKRUN = 1 << 13 };

static atomic_bool stop;

static void *waits(void *arg)
{
	while (!stop)
		usleep(200);
	return arg;
}

struct made {
	struct io_uring ring;
	int fd;		/* or 0 */
};

static int make(struct made *m, char kind)
{
	struct io_uring_params p = { .flags = SINGLE_ISSUER | DEFER_TASKRUN };
	int err;

	switch (kind) {
	case 'i':
		return io_uring_queue_init(8, &m->ring, p.flags);
	case 'p':
		return io_uring_queue_init_params(8, &m->ring, &p);
	case 'r':
		err = io_uring_queue_init(8, &m->ring, 0);
		err = err ? err : io_uring_register_ring_fd(&m->ring);
		return err < 0 ? err : 0;
	case 'd':
		p.flags |= DISABLED;
		/* fall through */
	default:
		m->fd = io_uring_setup(8, &p);
		if (m->fd < 0)
			return m->fd;
		return kind == 'd' ? io_uring_register(m->fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) : 0;
	}
}

static void check(int err, const char *what)
{
	if (err >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(-err));
	exit(1);
}

static void *issues(void *kind)
{
	struct made *m = calloc(1, sizeof(*m));

	check(make(m, *(char *)kind), "making it");
	for (int i = 0; i < CALLS; i++) {
		check(m->fd ? io_uring_enter(m->fd, 0, 0, IORING_ENTER_GETEVENTS, NULL)
			    : io_uring_get_events(&m->ring), "using it");
		usleep(100);
	}
	if (m->fd)
		close(m->fd);
	else
		io_uring_queue_exit(&m->ring);
	free(m);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[OTHERS], issuer;

	(void)argc;
	for (int i = 0; i < OTHERS; i++)
		pthread_create(&t[i], NULL, waits, NULL);
	pthread_create(&issuer, NULL, issues, argv[1]);
	pthread_join(issuer, NULL);
	stop = 1;
	for (int i = 0; i < OTHERS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
C
: >"$dir/out"
cc -pthread "$dir/rings.c" -o "$dir/rings" -l:liburing.so.2 2>"$dir/err" || skip 'no C compiler, or no liburing that has all of it'
for kind in i p r s d; do
	"$dir/rings" $kind 2>"$dir/err" || skip "without Upcall: $(cat "$dir/err")"
	expect 0 "$UPCALL" run "$dir/rings" $kind
done
exit 0
