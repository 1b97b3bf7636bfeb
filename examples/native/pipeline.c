// SPDX-License-Identifier: BSD-2-Clause
/* A pipeline: one thread counts, one squares, main adds up what comes out of the last channel. */
#include <stdio.h>
#include <upcall/upcall.h>

enum { NUMBERS = 10000 };

static struct upcall_channel *numbers, *squares;

static void *count(void *arg)
{
	(void)arg;
	for (long n = 1; n <= NUMBERS; n++)
		upcall_channel_send(numbers, &n);
	upcall_channel_close(numbers);
	return NULL;
}

static void *square(void *arg)
{
	long n;

	(void)arg;
	while (upcall_channel_receive(numbers, &n) == 0) {
		n *= n;
		upcall_channel_send(squares, &n);
	}
	upcall_channel_close(squares);
	return NULL;
}

int main(void)
{
	const long expected = (long)NUMBERS * (NUMBERS + 1) * (2 * NUMBERS + 1) / 6;
	upcall_t counter, squarer;
	long sum = 0, n;

	if (upcall_channel_create(&numbers, 16, sizeof(long)) || upcall_channel_create(&squares, 16, sizeof(long)) ||
	    upcall_create(&counter, NULL, count, NULL) || upcall_create(&squarer, NULL, square, NULL))
		return 1;
	while (upcall_channel_receive(squares, &n) == 0)
		sum += n;
	upcall_join(counter, NULL);
	upcall_join(squarer, NULL);
	upcall_channel_destroy(numbers);
	upcall_channel_destroy(squares);
	printf("the squares up to %d add up to %ld\n", NUMBERS, sum);
	return sum != expected;
}
