// SPDX-License-Identifier: BSD-2-Clause
// F_SETOWN_EX with F_OWNER_TID: the signals of a descriptor come to that thread, the main one or another, whoever asked
// and whether there were others then; F_GETOWN_EX tells the number that was given.
#include "../beside.h"

enum { SIGNALS = 20 };

static pthread_t owner;
static atomic_int come, elsewhere, owner_tid;
static atomic_bool stop;
static int pair[2];

static void note(int sig UNUSED)
{
	if (!pthread_equal(pthread_self(), owner))
		elsewhere++;
	come++;
}

static void is_owned_by(int tid)
{
	struct f_owner_ex wants = { F_OWNER_TID, tid }, is;

	CHECK_OK(fcntl(pair[0], F_SETOWN_EX, &wants));
	CHECK_OK(fcntl(pair[0], F_GETOWN_EX, &is));
	CHECK_EQ(is.type, F_OWNER_TID);
	CHECK_EQ(is.pid, tid);
}

static void make_ready(void)
{
	for (int i = 0; i < SIGNALS; i++) {
		int had = come;
		char byte;

		CHECK_EQ(write(pair[1], "x", 1), 1);
		WAIT_FOR(come > had);
		CHECK_EQ(read(pair[0], &byte, 1), 1);
	}
	CHECK_EQ(elsewhere, 0);
}

static void *waits(void *arg)
{
	owner_tid = gettid();
	while (!stop)
		usleep(1000);
	return arg;
}

int main(void)
{
	struct f_owner_ex none = { F_OWNER_TID, INT_MAX };
	pthread_t waiter;

	on_signal(SIGIO, note, SA_RESTART);
	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	CHECK_OK(fcntl(pair[0], F_SETFL, O_ASYNC));

	owner = pthread_self();
	is_owned_by(gettid());
	beside_begin();
	make_ready();

	waiter = spawn(waits, NULL);
	WAIT_FOR(owner_tid);
	owner = waiter;
	is_owned_by(owner_tid);
	make_ready();

	owner = pthread_self();
	is_owned_by(gettid());
	make_ready();

	CHECK_ERRNO(fcntl(pair[0], F_SETOWN_EX, &none), ESRCH);
	stop = true;
	join(waiter);
	beside_end();
}
