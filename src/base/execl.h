// SPDX-License-Identifier: BSD-2-Clause
/*
 * execl, execlp and execle, for the libraries that put an execve and an execvpe of their own before libc's: the arguments
 * in a row, up to and with the NULL, are gathered on the caller's stack.  Included once, where EXPORT is known.
 */
#ifndef UPCALL_BASE_EXECL_H
#define UPCALL_BASE_EXECL_H

#include <alloca.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

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

EXPORT int execl(const char *path, const char *arg, ...)
{
	char **argv;
	va_list ap;

	GATHER(argv, arg, ap);
	va_end(ap);
	return execve(path, argv, environ);
}

EXPORT int execlp(const char *file, const char *arg, ...)
{
	char **argv;
	va_list ap;

	GATHER(argv, arg, ap);
	va_end(ap);
	return execvpe(file, argv, environ);
}

EXPORT int execle(const char *path, const char *arg, ...)
{
	char **argv, *const *envp;
	va_list ap;

	GATHER(argv, arg, ap);
	envp = va_arg(ap, char *const *);
	va_end(ap);
	return execve(path, argv, envp);
}

#endif
