// SPDX-License-Identifier: BSD-2-Clause
/* The sieve of threads: each passes on what its own prime does not divide, and starts the next one. */
#include <stdio.h>
#include <upcall/upcall.h>

enum { LIMIT = 2000, PRIMES_BELOW = 303 };

static int primes;

static void *sieve(void *arg)
{
	struct upcall_channel *in = arg, *out;
	upcall_t next;
	int prime, n;

	if (upcall_channel_receive(in, &prime) != 0) {
		upcall_channel_destroy(in);
		return NULL;
	}
	__atomic_fetch_add(&primes, 1, __ATOMIC_RELAXED);
	if (upcall_channel_create(&out, 8, sizeof(int)) || upcall_create(&next, NULL, sieve, out))
		return NULL;
	while (upcall_channel_receive(in, &n) == 0)
		if (n % prime)
			upcall_channel_send(out, &n);
	upcall_channel_close(out);
	upcall_join(next, NULL);
	upcall_channel_destroy(in);
	return NULL;
}

int main(void)
{
	struct upcall_channel *first;
	upcall_t thread;

	if (upcall_channel_create(&first, 8, sizeof(int)) || upcall_create(&thread, NULL, sieve, first))
		return 1;
	for (int n = 2; n < LIMIT; n++)
		upcall_channel_send(first, &n);
	upcall_channel_close(first);
	upcall_join(thread, NULL);
	printf("%d primes below %d\n", primes, LIMIT);
	return primes != PRIMES_BELOW;
}
