// SPDX-License-Identifier: BSD-2-Clause
// idle pauses | sleeps | blocks: five threads that do next to nothing: wait for signals, or sleep for a second, again and
// again, or four of them do, and one waits for a lock of a file.
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
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

static void *blocks(void *arg)
{
	int holds = open("/proc/self/exe", O_RDONLY), wants = open("/proc/self/exe", O_RDONLY);

	if (holds >= 0 && wants >= 0 && !flock(holds, LOCK_EX))
		flock(wants, LOCK_EX);
	_exit(1);
	return arg;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	void *(*body)(void *) = strcmp(kind, "pauses") ? sleeps : pauses;
	pthread_t t;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&t, NULL, i == 0 && !strcmp(kind, "blocks") ? blocks : body, NULL))
			return 1;
	body(NULL);
}
