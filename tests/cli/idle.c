// SPDX-License-Identifier: BSD-2-Clause
// idle pauses | sleeps: five threads that do next to nothing: wait for signals, or sleep for a second, again and again.
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *sleeps(void *arg)
{
	for (;;)
		nanosleep(&(struct timespec){ 1, 0 }, NULL);
	return arg;
}

static void *pauses(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(int argc, char **argv)
{
	void *(*body)(void *) = argc > 1 && !strcmp(argv[1], "sleeps") ? sleeps : pauses;
	pthread_t t;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&t, NULL, body, NULL))
			return 1;
	body(NULL);
}
