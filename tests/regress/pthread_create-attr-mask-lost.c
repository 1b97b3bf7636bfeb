// SPDX-License-Identifier: BSD-2-Clause
// A signal mask in the attributes is the new thread's; without one, or cleared, the creator's is.
#include "../posix/harness.h"

static void *blocks_usr1(void *arg)
{
	sigset_t s;

	CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &s));
	CHECK_EQ(sigismember(&s, SIGUSR1), arg != NULL);
	CHECK_EQ(sigismember(&s, SIGUSR2), arg == NULL);
	return NULL;
}

#ifndef PTHREAD_ATTR_NO_SIGMASK_NP
int main(void)
{
	skip("attributes have masks from glibc 2.32 on");
}
#else
int main(void)
{
	sigset_t s = set_of(SIGUSR1), got;
	pthread_attr_t a;
	pthread_t t;

	block_signal(SIGUSR2);
	CHECK_OK(pthread_attr_init(&a));
	CHECK_EQ(pthread_attr_getsigmask_np(&a, &got), PTHREAD_ATTR_NO_SIGMASK_NP);
	CHECK_OK(pthread_attr_setsigmask_np(&a, &s));
	CHECK_OK(pthread_attr_getsigmask_np(&a, &got));
	CHECK_EQ(sigismember(&got, SIGUSR1), 1);
	CHECK_OK(pthread_create(&t, &a, blocks_usr1, &s));
	join(t);
	CHECK_OK(pthread_attr_setsigmask_np(&a, NULL));
	CHECK_OK(pthread_create(&t, &a, blocks_usr1, NULL));
	join(t);
}
#endif
