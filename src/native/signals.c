// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals while all threads wait.  An idle kernel thread admits none, as a handler could not run there: it has nothing of
 * libc's.  So one more, which libc makes, does nothing but admit what whoever started the library admitted.
 */
#include <pthread.h>
#include <unistd.h>

#include "../sys/sys.h"
#include "native.h"

enum { STACK = 256 * 1024 };		/* for handlers */

/* It names itself: others would need a descriptor for that. */
static void *admit(void *arg)
{
	sys_set_name(sys_gettid(), "upcall-signals");
	for (;;)
		pause();
	return arg;
}

/* Where no more threads are to be had, signals wait until one of the program's runs. */
void signals_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	if (pthread_attr_init(&attr))
		return;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_create(&thread, &attr, admit, NULL);
	pthread_attr_destroy(&attr);
}
