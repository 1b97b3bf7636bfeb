// SPDX-License-Identifier: BSD-2-Clause
// Where the address space is limited, threads with many sizes of stacks can be made, one after the other: room for many
// of each size was taken, until there was none for a thread of another size.
#include "../posix/limited.h"

enum { LIMIT = 400, SIZES = 100, LEAST = 128 << 10, STEP = 16 << 10 };

int main(void)
{
	make(LEAST);
	limit_address_space((size_t)LIMIT * MB);
	for (size_t i = 1; i <= SIZES; i++)
		make(LEAST + i * STEP);
}
