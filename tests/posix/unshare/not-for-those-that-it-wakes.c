// SPDX-License-Identifier: BSD-2-Clause
// What one thread has changed for itself alone does not come to others that it wakes, and that block and wake others.
#include "../harness.h"
#include <sys/fsuid.h>
#include <sys/prctl.h>

enum { N = 48, ROUNDS = 60, UID = 54321, SLACK_NS = 777777 };

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool turn;
} seat[N];
static atomic_bool stop;
static atomic_int turns;

static void look(bool apart)
{
	CHECK_EQ(setfsuid((uid_t)-1), apart ? UID : 0);
	CHECK_EQ(prctl(PR_GET_TIMERSLACK), apart ? SLACK_NS : 50000);
}

static void wake(int i)
{
	pthread_mutex_lock(&seat[i].mutex);
	seat[i].turn = true;
	pthread_cond_signal(&seat[i].cond);
	pthread_mutex_unlock(&seat[i].mutex);
}

static void *is_woken(void *arg)
{
	intptr_t i = (intptr_t)arg;
	struct timespec some = ms_span(2);

	for (;;) {
		pthread_mutex_lock(&seat[i].mutex);
		while (!seat[i].turn && !stop)
			pthread_cond_wait(&seat[i].cond, &seat[i].mutex);
		seat[i].turn = false;
		pthread_mutex_unlock(&seat[i].mutex);
		if (stop)
			return NULL;
		turns++;
		CHECK_EQ(prctl(PR_GET_TIMERSLACK), 50000);
		CHECK_OK(syscall(SYS_nanosleep, &some, NULL));
	}
}

static void *wakes(void *arg)
{
	CHECK_EQ(setfsuid(UID), 0);
	CHECK_OK(prctl(PR_SET_TIMERSLACK, SLACK_NS));
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < N; i++)
			wake(i);
		usleep(round % 5 * 500);
	}
	look(true);
	return arg;
}

int main(void)
{
	pthread_t t[N], waker;

	if (getuid() != 0)
		skip("only root can change its user");
	for (int i = 0; i < N; i++) {
		pthread_mutex_init(&seat[i].mutex, NULL);
		pthread_cond_init(&seat[i].cond, NULL);
	}
	waker = spawn(wakes, NULL);
	spawn_many(t, N, is_woken);
	join(waker);
	WAIT_FOR(turns > N);
	stop = true;
	for (int i = 0; i < N; i++)
		wake(i);
	join_many(t, N);
	look(false);
}
