// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads that answer each other by pipes, in reads that are as long as what is there and longer ones, beside one that computes;
 * where the ends were duplicated, closed and their numbers used again; and where another process writes.  Each read gets what was
 * written to its pipe, and waits until something is.
 */
#include "../harness.h"

enum { PAIRS = 6, ROUNDS = 400, BIG = 4096 };

struct line { int there[2], back[2]; unsigned id; };
static struct line lines[PAIRS];
static atomic_bool is_over;

static void *computes(void *arg)
{
	for (volatile unsigned n = 0; !is_over; n++)
		;
	return arg;
}

static void read_as(int fd, unsigned want, bool is_long)
{
	char all[BIG];
	unsigned got;

	CHECK_EQ(read(fd, all, is_long ? sizeof(all) : sizeof(got)), sizeof(got));
	memcpy(&got, all, sizeof(got));
	CHECK_EQ(got, want);
}

static void *answers(void *arg)
{
	struct line *l = arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned value = l->id + 2 * i + 1;

		read_as(l->there[0], l->id + 2 * i, i % 32 < 8);
		CHECK_EQ(write(l->back[1], &value, sizeof(value)), sizeof(value));
	}
	return NULL;
}

static void *asks(void *arg)
{
	struct line *l = arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned value = l->id + 2 * i;

		CHECK_EQ(write(l->there[1], &value, sizeof(value)), sizeof(value));
		read_as(l->back[0], value + 1, i % 64 < 8);
	}
	return NULL;
}

static void test_pairs(int n)
{
	pthread_t asker[PAIRS], answerer[PAIRS];

	for (int i = 0; i < n; i++) {
		answerer[i] = spawn(answers, &lines[i]);
		asker[i] = spawn(asks, &lines[i]);
	}
	for (int i = 0; i < n; i++) {
		join(asker[i]);
		join(answerer[i]);
	}
}

static void *reads_one(void *arg)
{
	char c;

	CHECK_EQ(read(*(int *)arg, &c, 1), 1);
	return (void *)(intptr_t)c;
}

/* The number of one pipe's reading end becomes another's: a write to the first is for who reads it by another number. */
static void test_numbers(void)
{
	int first[2], second[2], other;
	pthread_t of_first, of_second;

	CHECK_OK(pipe(first));
	of_first = spawn(reads_one, &first[0]);		/* both ends are known from here on */
	settle();
	CHECK_EQ(write(first[1], "a", 1), 1);
	CHECK_EQ((intptr_t)join(of_first), 'a');
	other = dup(first[0]);
	CHECK(other >= 0);
	CHECK_OK(pipe(second));
	CHECK_EQ(dup2(second[0], first[0]), first[0]);
	of_first = spawn(reads_one, &other);
	of_second = spawn(reads_one, &first[0]);
	settle();
	CHECK_EQ(write(first[1], "b", 1), 1);
	CHECK_EQ((intptr_t)join(of_first), 'b');
	CHECK_EQ(write(second[1], "c", 1), 1);
	CHECK_EQ((intptr_t)join(of_second), 'c');
}

static void asks_the_parent(void)
{
	asks(&lines[0]);
}

static void has_its_own(void)
{
	test_pairs(2);
}

static void test_children(void)
{
	pthread_t answerer = spawn(answers, &lines[0]);

	settle();
	CHECK_EQ(in_child(asks_the_parent), 0);
	join(answerer);
	CHECK_EQ(in_child(has_its_own), 0);
}

int main(void)
{
	for (unsigned i = 0; i < PAIRS; i++) {
		lines[i].id = i * 1000000;
		CHECK_OK(pipe(lines[i].there));
		CHECK_OK(pipe(lines[i].back));
	}
	test_pairs(1);
	test_pairs(PAIRS);
	test_numbers();
	test_children();
	pthread_t t = spawn(computes, NULL);
	test_pairs(2);
	is_over = true;
	join(t);
	return 0;
}
