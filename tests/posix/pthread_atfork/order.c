// SPDX-License-Identifier: BSD-2-Clause
// Prepare handlers run in reverse order of registration, parent and child handlers in order, in
// the forking thread.
#include "../harness.h"

static char order[16];
static int n;
static pthread_t forker;

static void note(char c)
{
	CHECK(pthread_equal(pthread_self(), forker));
	order[n++] = c;
}

static void prepare1(void) { note('1'); }
static void prepare2(void) { note('2'); }
static void parent1(void) { note('a'); }
static void parent2(void) { note('b'); }
static void child1(void) { note('x'); }
static void child2(void) { note('y'); }

static void child(void)
{
	CHECK(!strcmp(order, "21xy"));
}

static void *body(void *arg UNUSED)
{
	forker = pthread_self();
	CHECK_EQ(in_child(child), 0);
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_atfork(prepare1, parent1, child1));
	CHECK_OK(pthread_atfork(prepare2, parent2, child2));
	join(spawn(body, NULL));
	CHECK(!strcmp(order, "21ab"));
}
