// SPDX-License-Identifier: BSD-2-Clause
// Main ends itself (pthread_exit) in a program that has confined itself: its threads from before and after go on, and the
// last of them ends the process, after its own destructors, as exit(0) would.
#include "../harness.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/prctl.h>

static pthread_key_t key;
static int p[2];
static sem_t turn[5];		/* of main, a, b, c, and nobody */

static void says(void *value)
{
	const char *order = "mabc", *me = strchr(order, *(char *)value);

	CHECK_EQ(write(p[1], value, 1), 1);
	if (me)
		CHECK_OK(sem_post(&turn[me - order + 1]));
}

static void at_exit(void)
{
	says("e");
}

static void *lives(void *arg)
{
	CHECK_OK(pthread_setspecific(key, arg));
	CHECK_OK(sem_wait(&turn[*(char *)arg - 'a' + 1]));
	sleep_ms(20);		/* who was before is gone */
	return NULL;
}

static void child(void)
{
	static struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { 1, code };

	for (int i = 0; i < 5; i++)
		CHECK_OK(sem_init(&turn[i], 0, 0));
	atexit(at_exit);
	CHECK_OK(pthread_key_create(&key, says));
	spawn(lives, "a");
	CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK_OK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
	CHECK_OK(pthread_detach(spawn(lives, "b")));
	CHECK_OK(pthread_detach(spawn(lives, "c")));
	CHECK_OK(pthread_setspecific(key, "m"));
	pthread_exit(NULL);
}

int main(void)
{
	char text[8] = "";
	ssize_t n;
	size_t all = 0;

	CHECK_OK(pipe(p));
	CHECK_EQ(in_child(child), 0);
	CHECK_OK(close(p[1]));
	while ((n = read(p[0], text + all, sizeof(text) - 1 - all)) > 0)
		all += (size_t)n;
	CHECK(strcmp(text, "mabce") == 0);
}
