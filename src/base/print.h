// SPDX-License-Identifier: BSD-2-Clause
/* Printing that is safe anywhere: no malloc, no stdio, no lock; one write(2) a line. */
#ifndef UPCALL_BASE_PRINT_H
#define UPCALL_BASE_PRINT_H

#include <stdarg.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)
/* Knows %s %d %u %x %lu %llu %lx %p %c %%.  Returns the length without the final zero. */
size_t print_to(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
size_t print_to_v(char *buf, size_t size, const char *fmt, va_list ap);
/* "upcall: ..." on standard error. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A broken invariant of our own: one line, then abort. */
_Noreturn void panic(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#pragma GCC visibility pop

#define check(cond) \
	do { \
		if (__builtin_expect(!(cond), 0)) \
			panic("%s:%d: %s does not hold", __FILE__, __LINE__, #cond); \
	} while (0)

#endif
