// SPDX-License-Identifier: BSD-2-Clause
// Where no addresses are left for a stack of a size that there has been none of, a thread gets a larger one that others
// have left.
#include "../posix/limited.h"

enum { SMALL = 3 * MB, LARGE = 4 * MB, STEP = 64 << 10 };

int main(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (long i = 0; i < cpus + 2; i++)	/* each of them may keep some of a size for itself */
		make(LARGE + (size_t)i * STEP);
	limit_address_space(MB);
	make(SMALL);
}
