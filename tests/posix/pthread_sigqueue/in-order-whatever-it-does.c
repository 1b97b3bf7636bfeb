// SPDX-License-Identifier: BSD-2-Clause
// Queued signals come to a thread each once and in their order, whatever it does meanwhile.
#include "../in-order.h"

int main(void)
{
	pthread_t t[MOST];

	begin(t, MOST);
	for (int n = 0; n < SIGNALS; n++) {
		for (int i = 0; i < MOST; i++) {
			WAIT_FOR(got[i] > n - AHEAD);
			CHECK_OK(pthread_sigqueue(t[i], SIGRTMIN, (union sigval){ .sival_int = n }));
		}
		if (n % 16 == 0)
			usleep(300);
	}
	end(t, MOST);
}
