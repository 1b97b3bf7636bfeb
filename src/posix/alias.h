// SPDX-License-Identifier: BSD-2-Clause
/* A second exported name of a function, as libc has it for older binaries and its own libraries. */
#ifndef UPCALL_POSIX_ALIAS_H
#define UPCALL_POSIX_ALIAS_H

#define ALIAS(alias_name, name) \
	extern __typeof__(name) alias_name \
		__attribute__((visibility("default"), alias(#name), copy(name)))

#endif
