// SPDX-License-Identifier: BSD-2-Clause
// While one thread was in system, another that is bound to a CPU came in and stayed longer, or the other way about: SIGINT
// and SIGQUIT were ignored for good.
#include "../posix/harness.h"

struct command {
	bool is_bound;
	int says[2], waits[2];
};

static void *runs(void *arg)
{
	struct command *c = arg;
	char line[64];
	cpu_set_t one = one_cpu();

	if (c->is_bound)
		CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof one, &one));
	snprintf(line, sizeof line, "echo in >&%d; read go <&%d", c->says[1], c->waits[0]);
	CHECK_EQ(system(line), 0);
	return NULL;
}

static pthread_t begin(struct command *c, bool is_bound)
{
	char in[3];

	c->is_bound = is_bound;
	CHECK_OK(pipe(c->says));
	CHECK_OK(pipe(c->waits));
	pthread_t t = spawn(runs, c);

	CHECK_EQ(read(c->says[0], in, sizeof in), 3);
	return t;
}

static void end(struct command *c, pthread_t t)
{
	CHECK_EQ(write(c->waits[1], "go\n", 3), 3);
	join(t);
	for (int i = 0; i < 2; i++) {		/* a shell knows but ten */
		close(c->says[i]);
		close(c->waits[i]);
	}
}

static bool is_ignored(int sig)
{
	struct sigaction is;

	CHECK_OK(sigaction(sig, NULL, &is));
	return is.sa_handler == SIG_IGN;
}

static void overlap(bool first_is_bound, bool second_is_bound)
{
	struct command first, second;
	pthread_t a = begin(&first, first_is_bound), b = begin(&second, second_is_bound);

	CHECK(is_ignored(SIGINT) && is_ignored(SIGQUIT));
	end(&first, a);
	CHECK(is_ignored(SIGINT) && is_ignored(SIGQUIT));
	end(&second, b);
	CHECK(!is_ignored(SIGINT) && !is_ignored(SIGQUIT));
}

int main(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	for (int i = 0; i < 4; i++)
		overlap(i & 1, i & 2);
}
