// SPDX-License-Identifier: BSD-2-Clause
// A thread that has ended and is not joined yet has no queue and no policy, as glibc has it.
#include "../harness.h"

int main(void)
{
	struct sched_param param = { 0 };
	pthread_t t = spawn(nothing, NULL);
	int policy;

	WAIT_FOR(pthread_sigqueue(t, 0, (union sigval){ 0 }) == ESRCH);
	CHECK_EQ(pthread_sigqueue(t, SIGUSR1, (union sigval){ 0 }), ESRCH);
	CHECK_EQ(pthread_getschedparam(t, &policy, &param), ESRCH);
	CHECK_EQ(pthread_setschedparam(t, SCHED_OTHER, &param), ESRCH);
	CHECK_EQ(pthread_setschedprio(t, 0), ESRCH);
	join(t);
	return 0;
}
