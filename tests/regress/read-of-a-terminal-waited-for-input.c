// SPDX-License-Identifier: BSD-2-Clause
// A terminal's read that needs no input (VMIN 0, or in the background with SIGTTIN ignored) waited until there was some;
// and one that is satisfied with less than VMIN bytes, as it asks for no more, waited for VMIN of them.
#include "../posix/parked.h"

#include <sys/ioctl.h>
#include <termios.h>

static int master, slave;

static void open_terminal(void)
{
	master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0)
		skip("no terminals here");
	CHECK_OK(grantpt(master));
	CHECK_OK(unlockpt(master));
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	CHECK(slave >= 0);
}

static void ask_for(cc_t bytes, cc_t tenths)
{
	struct termios t;

	CHECK_OK(tcgetattr(slave, &t));
	cfmakeraw(&t);
	t.c_cc[VMIN] = bytes;
	t.c_cc[VTIME] = tenths;
	CHECK_OK(tcsetattr(slave, TCSANOW, &t));
}

static void *raw(void *arg)
{
	char c;

	ask_for(0, 0);
	CHECK_EQ(read(slave, &c, 1), 0);
	ask_for(0, 1);
	CHECK_EQ(read(slave, &c, 1), 0);
	ask_for(5, 0);
	CHECK_EQ(write(master, "x", 1), 1);
	CHECK_EQ(read(slave, &c, 1), 1);
	ask_for(1, 0);
	CHECK_EQ(write(master, "y", 1), 1);
	CHECK_EQ(read(slave, &c, 1), 1);
	return arg;
}

static void *in_background(void *arg)
{
	char c;

	CHECK_ERRNO(read(slave, &c, 1), EIO);
	return arg;
}

static void background(void)
{
	CHECK_OK(setpgid(0, 0));
	park_some();
	join(spawn(in_background, NULL));
}

static void session(void)
{
	CHECK(setsid() > 0);
	open_terminal();
	CHECK_OK(ioctl(slave, TIOCSCTTY, 0));
	on_signal(SIGTTIN, SIG_IGN, 0);
	CHECK_OK(in_child(background));
}

int main(void)
{
	open_terminal();		/* where there is none, the children need not try */
	CHECK_OK(in_child(session));
	park_some();
	join(spawn(raw, NULL));
	_exit(0);
}
