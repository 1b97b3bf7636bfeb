// SPDX-License-Identifier: BSD-2-Clause
// select and pselect are cancellation points.
#include "../cancel.h"
#include <sys/select.h>

static void with_select(void *arg)
{
	int fd = *(int *)arg;
	fd_set r;

	FD_ZERO(&r);
	FD_SET(fd, &r);
	CHECK(select(fd + 1, &r, NULL, NULL, NULL) != -1);
}

static void with_pselect(void *arg)
{
	int fd = *(int *)arg;
	fd_set r;

	FD_ZERO(&r);
	FD_SET(fd, &r);
	CHECK(pselect(fd + 1, &r, NULL, NULL, NULL, NULL) != -1);
}

int main(void)
{
	int p[2];

	CHECK_OK(pipe(p));
	check_cancels(with_select, &p[0]);
	check_cancels(with_pselect, &p[0]);
}
