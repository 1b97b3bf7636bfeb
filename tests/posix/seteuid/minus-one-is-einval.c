// SPDX-License-Identifier: BSD-2-Clause
// seteuid(-1) and setegid(-1) fail with EINVAL, also where there have been threads.
#include "../harness.h"

int main(void)
{
	for (int i = 0; i < 2; i++) {
		CHECK_ERRNO(seteuid((uid_t)-1), EINVAL);
		CHECK_ERRNO(setegid((gid_t)-1), EINVAL);
		join(spawn(nothing, NULL));
	}
	return 0;
}
