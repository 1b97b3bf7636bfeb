// SPDX-License-Identifier: BSD-2-Clause
/* For execl and its kin: arguments in a row, up to and with the NULL, on the caller's stack. */
#ifndef UPCALL_BASE_GATHER_H
#define UPCALL_BASE_GATHER_H

#include <alloca.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* ap is left behind the NULL. */
#define GATHER(argv, arg, ap) \
	do { \
		size_t n_ = 1; \
		va_start(ap, arg); \
		while (va_arg(ap, char *)) \
			n_++; \
		va_end(ap); \
		argv = alloca((n_ + 1) * sizeof(char *)); \
		argv[0] = (char *)(uintptr_t)arg; \
		va_start(ap, arg); \
		for (size_t i_ = 1; i_ <= n_; i_++) \
			argv[i_] = va_arg(ap, char *); \
	} while (0)

#endif
