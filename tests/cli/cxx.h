// SPDX-License-Identifier: BSD-2-Clause
/* harness.h for a program in C++ (g++ -std=gnu++23, for <stdatomic.h>): what it has of C that C++ has not. */
#ifndef CXX_H
#define CXX_H

#include <signal.h>

#define _Noreturn [[noreturn]]
#undef sa_handler			/* a designator of one name, in sigaction's initialisers */
#define sa_handler __sigaction_handler
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "../posix/harness.h"
#pragma GCC diagnostic pop
#undef sa_handler
#define sa_handler __sigaction_handler.sa_handler

#endif
