// SPDX-License-Identifier: BSD-2-Clause
// writev, and pwritev2 without an offset, to a full pipe are cancellation points.
#include "../cancel.h"
#include "../full-pipe.h"
#include <sys/uio.h>

static char data[4096];
static struct iovec v = { data, sizeof data };

static void with_writev(void *arg)
{
	CHECK(writev(*(int *)arg, &v, 1) != -1);
}

static void with_pwritev2(void *arg)
{
	CHECK(pwritev2(*(int *)arg, &v, 1, -1, 0) != -1);
}

int main(void)
{
	int p[2];

	full_pipe(p);
	check_cancels(with_writev, &p[1]);
	check_cancels(with_pwritev2, &p[1]);
}
