// SPDX-License-Identifier: BSD-2-Clause
#include "clock.h"

int (*clock_read)(clockid_t clock, struct timespec *ts) = clock_gettime;
int (*clock_program)(clockid_t clock, struct timespec *ts) = clock_gettime;
bool clock_is_replaced;
