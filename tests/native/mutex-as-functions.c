// SPDX-License-Identifier: BSD-2-Clause
/* The same by the library's functions, as programs in other languages call them. */
#define UPCALL_NO_INLINE
#include "mutex.c"
