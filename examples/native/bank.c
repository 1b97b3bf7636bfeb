// SPDX-License-Identifier: BSD-2-Clause
/* Threads move money between accounts, each with its lock; whoever wants too much waits a while. */
#include <stdio.h>
#include <upcall/upcall.h>

enum { ACCOUNTS = 10, THREADS = 50, MOVES = 200, EACH = 100 };

static struct account {
	struct upcall_mutex mutex;
	struct upcall_cond more;
	int money;
} account[ACCOUNTS];

static void deposit(struct account *a, int sum)
{
	upcall_mutex_lock(&a->mutex);
	a->money += sum;
	upcall_cond_broadcast(&a->more);
	upcall_mutex_unlock(&a->mutex);
}

/* What is there within a millisecond, at most `sum`. */
static int withdraw(struct account *a, int sum)
{
	uint64_t deadline = upcall_after(1000000);

	upcall_mutex_lock(&a->mutex);
	while (a->money < sum && upcall_cond_wait_until(&a->more, &a->mutex, deadline) == 0)
		;
	if (sum > a->money)
		sum = a->money;
	a->money -= sum;
	upcall_mutex_unlock(&a->mutex);
	return sum;
}

static void *move(void *arg)
{
	unsigned seed = (unsigned)(long)arg * 2654435761u + 1;

	for (int i = 0; i < MOVES; i++) {
		seed = seed * 1103515245u + 12345;
		deposit(&account[(seed >> 8) % ACCOUNTS], withdraw(&account[(seed >> 16) % ACCOUNTS], (int)(seed >> 24) % 50));
	}
	return NULL;
}

int main(void)
{
	upcall_t thread[THREADS];
	int total = 0;

	for (int i = 0; i < ACCOUNTS; i++)
		account[i].money = EACH;
	for (long i = 0; i < THREADS; i++)
		if (upcall_create(&thread[i], NULL, move, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		upcall_join(thread[i], NULL);
	for (int i = 0; i < ACCOUNTS; i++)
		total += account[i].money;
	printf("%d in all accounts\n", total);
	return total != ACCOUNTS * EACH;
}
