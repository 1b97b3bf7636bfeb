// SPDX-License-Identifier: BSD-2-Clause
/*
 * Matrix products by OpenBLAS's own threads, called from one thread and from six at once, against
 * products computed the plain way.  The factors are small whole numbers: every sum is exact, so the
 * results are equal and not merely close.
 */
#include <cblas.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 192, CALLERS = 6, ROUNDS = 8 };

static double plain[N * N], a[N * N], b[N * N];

static void fill(void)
{
	for (int i = 0; i < N * N; i++) {
		a[i] = (i * 7 + i / N) % 17 - 8;
		b[i] = (i * 5 + i / N) % 13 - 6;
	}
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				plain[i * N + j] += a[i * N + k] * b[k * N + j];
}

/* Returns how many products were right. */
static void *multiply(void *unused)
{
	double *c = malloc(sizeof(plain));
	intptr_t right = 0;

	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		int same = 1;

		cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1.0, a, N, b, N, 0.0, c, N);
		for (int i = 0; i < N * N; i++)
			same &= c[i] == plain[i];
		right += same;
	}
	free(c);
	return (void *)right;
}

int main(void)
{
	pthread_t threads[CALLERS];
	intptr_t right = 0;

	fill();
	printf("alone %d of %d\n", (int)(intptr_t)multiply(NULL), ROUNDS);
	for (int i = 0; i < CALLERS; i++)
		if (pthread_create(&threads[i], NULL, multiply, NULL))
			return 1;
	for (int i = 0; i < CALLERS; i++) {
		void *result;

		pthread_join(threads[i], &result);
		right += (intptr_t)result;
	}
	printf("together %d of %d\n", (int)right, CALLERS * ROUNDS);
	return 0;
}
