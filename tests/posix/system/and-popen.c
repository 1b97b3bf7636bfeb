// SPDX-License-Identifier: BSD-2-Clause
// system and popen work in threads: exit statuses, output, and other threads running meanwhile; the
// commands end when those have run.
#include "../harness.h"

static atomic_bool stop;
static atomic_int ticks;
static int go[2];

static void *ticker(void *arg UNUSED)
{
	while (!stop) {
		ticks++;
		sleep_ms(1);
	}
	return NULL;
}

static void *body(void *arg UNUSED)
{
	char line[32] = { 0 }, command[64];
	int status = system("exit 3");
	FILE *f;

	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 3);
	snprintf(command, sizeof command, "read go <&%d; echo out", go[0]);
	f = popen(command, "r");
	CHECK(f != NULL);
	CHECK(fgets(line, sizeof line, f) != NULL);
	CHECK(!strcmp(line, "out\n"));
	CHECK_EQ(pclose(f), 0);
	return NULL;
}

int main(void)
{
	pthread_t t, b[3];

	CHECK_OK(pipe(go));
	t = spawn(ticker, NULL);
	spawn_many(b, 3, body);
	settle();
	int before = ticks;

	WAIT_FOR(ticks - before >= 10);
	CHECK_EQ(write(go[1], "1\n2\n3\n", 6), 6);
	join_many(b, 3);
	stop = true;
	join(t);
}
