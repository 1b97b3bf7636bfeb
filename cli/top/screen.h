// SPDX-License-Identifier: BSD-2-Clause
/* `upcall top` on a terminal. */
#ifndef UPCALL_TOP_SCREEN_H
#define UPCALL_TOP_SCREEN_H

#include "view.h"

/* Runs until it is told to quit, or has looked `rounds` times (0: no limit). */
void screen_run(struct top *top, struct view *v, unsigned long rounds);

#endif
