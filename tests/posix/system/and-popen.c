// SPDX-License-Identifier: BSD-2-Clause
// system and popen work in threads: exit statuses, output, and other threads running meanwhile.
#include "../harness.h"

static atomic_bool stop;
static atomic_int ticks;

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
	char line[32] = { 0 };
	int status = system("exit 3");
	FILE *f;

	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 3);
	f = popen("sleep 0.1; echo out", "r");
	CHECK(f != NULL);
	CHECK(fgets(line, sizeof line, f) != NULL);
	CHECK(!strcmp(line, "out\n"));
	CHECK_EQ(pclose(f), 0);
	return NULL;
}

int main(void)
{
	pthread_t t = spawn(ticker, NULL), b[3];
	int before = ticks;

	spawn_many(b, 3, body);
	join_many(b, 3);
	CHECK(ticks - before >= 10);
	stop = true;
	join(t);
}
