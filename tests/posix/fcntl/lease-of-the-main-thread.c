// SPDX-License-Identifier: BSD-2-Clause
// Who holds a lease on a file, or watches a directory by F_NOTIFY, in the main thread beside others, is sent a signal
// when somebody else opens the one, or makes a file in the other.
#include "../beside.h"

static atomic_int told;

static void note(int sig UNUSED)
{
	told++;
}

static void run_about(void)
{
	struct timespec some = ms_span(2);

	beside_begin();
	for (int i = 0; i < 50; i++) {		/* main blocks, and goes on wherever there is room */
		CHECK_OK(syscall(SYS_nanosleep, &some, NULL));
		usleep(500);
	}
}

static void open_file(void)
{
	CHECK(open("leased", O_WRONLY | O_NONBLOCK) == -1);
	CHECK_EQ(errno, EWOULDBLOCK);
}

static void make_file(void)
{
	CHECK(open("made", O_CREAT | O_WRONLY, 0600) >= 0);
}

int main(void)
{
	int file, dir;

	on_signal(SIGIO, note, SA_RESTART);
	CHECK((file = open("leased", O_CREAT | O_RDONLY, 0600)) >= 0);
	CHECK((dir = open(".", O_RDONLY | O_DIRECTORY)) >= 0);
	run_about();
	if (fcntl(file, F_SETLEASE, F_RDLCK))
		skip("no leases on this file system");
	CHECK_EQ(fcntl(file, F_GETOWN), getpid());
	CHECK_EQ(in_child(open_file), 0);
	WAIT_FOR(told == 1);
	CHECK_OK(fcntl(file, F_SETLEASE, F_UNLCK));

	if (fcntl(dir, F_NOTIFY, DN_CREATE) == 0) {
		CHECK_EQ(fcntl(dir, F_GETOWN), getpid());
		CHECK_EQ(in_child(make_file), 0);
		WAIT_FOR(told == 2);
	}
	beside_end();
	unlink("leased");
	unlink("made");
}
