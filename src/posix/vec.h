// SPDX-License-Identifier: BSD-2-Clause
/* Lists of buffers. */
#ifndef UPCALL_POSIX_VEC_H
#define UPCALL_POSIX_VEC_H

#include <stddef.h>
#include <sys/uio.h>

/* A rest is handed on in pieces of at most so many buffers. */
enum { VEC_REST = 64 };

static inline size_t vec_bytes(const struct iovec *v, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i].iov_len;
	return sum;
}

/* What follows the first `skip` bytes of v, VEC_REST buffers of it at most; returns how many. */
static inline size_t vec_rest(const struct iovec *v, size_t n, size_t skip, struct iovec *ret_rest)
{
	size_t i = 0, count = 0;

	while (i < n && skip >= v[i].iov_len)
		skip -= v[i++].iov_len;
	for (; i < n && count < VEC_REST; i++, skip = 0)
		ret_rest[count++] = (struct iovec){ (char *)v[i].iov_base + skip, v[i].iov_len - skip };
	return count;
}

#endif
