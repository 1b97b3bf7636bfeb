// SPDX-License-Identifier: BSD-2-Clause
// O_NONBLOCK belongs to what descriptors share: a write after it was set by another one ends with the part for which there
// was room.
#include "../harness.h"
#include <fcntl.h>

enum { MUCH = 1 << 20 };


int main(void)
{
	char *much = calloc(1, MUCH);
	int ends[2], other;
	ssize_t n;

	join(spawn(nothing, NULL));
	CHECK_OK(pipe(ends));
	CHECK_EQ(write(ends[1], "x", 1), 1);
	other = dup(ends[1]);
	CHECK(other >= 0);
	CHECK_OK(fcntl(other, F_SETFL, O_NONBLOCK));
	n = write(ends[1], much, MUCH);
	CHECK(n > 0 && n < MUCH);
	CHECK_ERRNO(write(ends[1], much, MUCH), EAGAIN);
	free(much);
	return 0;
}
