// SPDX-License-Identifier: BSD-2-Clause
// splice and tee of an empty pipe, and vmsplice and splice to a full one, are cancellation points.
#include "../cancel.h"
#include "../full-pipe.h"
#include <sys/uio.h>

static int empty[2], full[2], other[2], zero;

static void from_empty(void *arg UNUSED)
{
	CHECK(splice(empty[0], NULL, other[1], NULL, 1, 0) != -1);
}

static void to_full(void *arg UNUSED)
{
	CHECK(splice(zero, NULL, full[1], NULL, 4096, 0) != -1);
}

static void with_tee(void *arg UNUSED)
{
	CHECK(tee(empty[0], other[1], 1, 0) != -1);
}

static void with_vmsplice(void *arg UNUSED)
{
	char c = 0;
	struct iovec v = { &c, 1 };

	CHECK(vmsplice(full[1], &v, 1, 0) != -1);
}

int main(void)
{
	CHECK_OK(pipe(empty));
	CHECK_OK(pipe(other));
	full_pipe(full);
	zero = open("/dev/zero", O_RDONLY);
	CHECK(zero >= 0);
	check_cancels(from_empty, NULL);
	check_cancels(to_full, NULL);
	check_cancels(with_tee, NULL);
	check_cancels(with_vmsplice, NULL);
}
